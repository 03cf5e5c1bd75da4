// A table that makes only the rows that can be seen, so that 10,000 of them are as fluid as ten.
import { h, visible } from "./dom.js";

const AROUND = 12;        // rows above and below the visible ones
const PRINTED = 400;      // rows of a printed table

let printing = false;
const tables = new Set();
for (const [event, on] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    printing = on;
    for (const table of tables) {
      if (table.element.isConnected) table.draw(true);
      else tables.delete(table);
    }
  });
}

/// @param columns  [{ title, key, cell: row → text or element, value: row → what it is sorted by, number: bool, first: "descending" }]
///                 a column without `value` is not sorted
/// @param options  { caption, rows, rowHeight, sort: key, order, selected: row → bool, onrow: row → void, height, name: class }
/// @return { element, show(row), focus(row), set(rows), refresh() }
export function dataTable(columns, options) {
  let { rows, sort = null } = options;
  let order = options.order || "descending", from = -1, to = -1;
  const height = options.rowHeight || 26;
  const body = h("tbody");
  const buttons = new Map();
  const head = h("tr", null, columns.map((column) => {
    const cell = h("th", { scope: "col", class: column.number ? "number" : null });
    if (!column.value) cell.append(visible(column.title));
    else {
      const button = h("button", { type: "button", class: "sort", onclick: () => sortBy(column) }, column.title);
      buttons.set(column.key, [cell, button]);
      cell.append(button);
    }
    return cell;
  }));
  const table = h("table", { "aria-rowcount": rows.length + 1 }, h("caption", { class: "unseen" }, options.caption), h("thead", null, head),
    body);
  const element = h("div", { class: "scroll " + (options.name || ""), tabindex: "0", role: "region", "aria-label": options.caption },
    table);
  element.style.setProperty("--row", height + "px");
  if (options.height) element.style.setProperty("max-height", options.height);

  function sortBy(column) {
    order = sort === column.key ? (order === "descending" ? "ascending" : "descending") : column.number ? "descending" : "ascending";
    sort = column.key;
    arrange();
  }
  function arrange() {
    const column = columns.find((one) => one.key === sort);
    if (column) {
      const sign = order === "descending" ? -1 : 1;
      const keys = rows.map((row, at) => [column.value(row), at, row]);
      keys.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
      rows = keys.map((one) => one[2]);
    }
    for (const [key, [cell]] of buttons) {
      if (key === sort) cell.setAttribute("aria-sort", order);
      else cell.removeAttribute("aria-sort");
    }
    draw(true);
  }
  function spacer(count) {
    const row = h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: columns.length }));
    row.firstChild.style.setProperty("height", count * height + "px");
    return row;
  }
  function rowOf(row, at) {
    const selected = options.selected && options.selected(row);
    const element = h("tr", { "aria-rowindex": at + 2, "data-at": at, "aria-selected": options.selected ? String(Boolean(selected)) : null,
      class: [selected ? "selected" : "", options.rowClass ? options.rowClass(row) : "", options.onrow ? "can" : ""].join(" ").trim()
        || null },
      columns.map((column, k) => h(k === (options.header || 0) && options.header !== null ? "th" : "td",
        { scope: k === (options.header || 0) && options.header !== null ? "row" : null,
          class: [column.number ? "number" : "", column.name || ""].join(" ").trim() || null },
        column.cell(row))));
    if (options.onrow) element.addEventListener("click", () => options.onrow(row));
    if (options.style) options.style(row, element);
    return element;
  }
  function draw(anew) {
    const seen = Math.ceil((element.clientHeight || 700) / height);
    let first = Math.max(0, Math.floor(element.scrollTop / height) - AROUND), last = Math.min(rows.length, first + seen + 2 * AROUND);
    if (rows.length <= 80) [first, last] = [0, rows.length];
    if (printing) [first, last] = [0, Math.min(rows.length, options.printed || PRINTED)];
    if (!anew && first >= from && last <= to && !printing) return;
    if (!anew && Math.abs(first - from) < AROUND / 2 && last - first === to - from && !printing) return;
    const focused = document.activeElement && body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.at
      : null;
    [from, to] = [first, last];
    const shown = [];
    if (first > 0) shown.push(spacer(first));
    for (let at = first; at < last; ++at) shown.push(rowOf(rows[at], at));
    if (last < rows.length) {
      if (printing) shown.push(h("tr", null, h("td", { colspan: columns.length }, "… " + (rows.length - last) + " more rows")));
      else shown.push(spacer(rows.length - last));
    }
    body.replaceChildren(...shown);
    table.setAttribute("aria-rowcount", rows.length + 1);
    if (focused !== null) focus(Number(focused));
  }
  function scrollTo(at) {
    const top = at * height, head_height = table.tHead.offsetHeight;
    if (top < element.scrollTop || top + height + head_height > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(0, top - (element.clientHeight - head_height) / 3);
    draw(false);
  }
  function focus(at) {
    const row = body.querySelector('tr[data-at="' + at + '"]');
    const target = row && (row.querySelector("button, a") || null);
    if (target) target.focus({ preventScroll: true });
  }
  element.addEventListener("scroll", () => draw(false), { passive: true });
  new ResizeObserver(() => draw(false)).observe(element);
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }[event.key];
    const row = event.target.closest("tr");
    if (!step || !row) return;
    event.preventDefault();
    const at = Math.min(rows.length - 1, Math.max(0, Number(row.dataset.at) + step));
    scrollTo(at);
    focus(at);
  });
  tables.add({ element, draw });
  arrange();
  return {
    element,
    refresh: () => draw(true),
    set: (more) => {
      rows = more;
      element.scrollTop = 0;
      arrange();
    },
    show: (row) => {
      const at = rows.indexOf(row);
      if (at >= 0) scrollTo(at);
      draw(true);
    },
    focus: (row) => focus(rows.indexOf(row)),
  };
}
