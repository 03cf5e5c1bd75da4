// In place of scratchpad.js where this page is built without WebAssembly.
export const loadScratchpad = null;
