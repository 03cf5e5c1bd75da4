"""An HTML report in headless Chromium: how it is used, and what is looked for in every view."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import browser


class ReportPage:
    """An HTML report in the browser. What is wrong with it goes to `failures`."""
    def __init__(self, folder: Path, failures: list):
        self.folder, self.page, self.failures = folder, "", failures
        self.driver = browser.start()

    def size(self, width: int, height: int = 900) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def theme(self, name: str, media: str = "") -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, page: str) -> None:
        self.page = page
        self.driver.get("about:blank")
        self.driver.get((self.folder / f"{page}.html").as_uri())
        self.driver.execute_async_script("const done = arguments[0], wait = () => document.documentElement.dataset.rules ? done() : setTimeout(wait, 5); wait()")

    def do(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self) -> None:
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")

    def all(self, css: str) -> list:
        return self.driver.find_elements("css selector", css)

    def one(self, css: str):
        return self.driver.find_element("css selector", css)

    def texts(self, css: str) -> list:
        return self.do("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", css)

    def click(self, css: str) -> None:
        self.one(css).click()
        self.settle()

    def tab(self, name: str) -> None:
        self.do("document.getElementById('tab-' + arguments[0]).click()", name)
        self.settle()

    def views(self) -> list:
        return [one[len("tab-"):] for one in self.do("return [...document.querySelectorAll('[role=tab]')].map((e) => e.id)")]

    def listen(self) -> None:
        """Fails for what reached the console, and for each request but that of the page itself."""
        for entry in self.driver.get_log("browser"):
            self.failures.append(f"{self.page}: on the console: {entry['message']}")
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            if not (url == "about:blank" or url.startswith("data:") or url.split("#")[0].startswith(self.folder.as_uri())):
                self.failures.append(f"{self.page}: a request for {url}")

    def grid(self, shot: str) -> list:
        """A picture (PNG, base64) as 12 rows of 16 mean colours, hexadecimal. The page must be about:blank, which allows images."""
        pixels = self.driver.execute_async_script("""
            const [picture, done] = arguments, image = new Image();
            image.onload = () => {
              const canvas = document.createElement("canvas"), context = canvas.getContext("2d"), colours = [];
              [canvas.width, canvas.height] = [image.width, image.height];
              context.drawImage(image, 0, 0);
              const [w, h] = [Math.floor(image.width / 16), Math.floor(image.height / 12)];
              for (let y = 0; y < 12; ++y) for (let x = 0; x < 16; ++x) {
                const data = context.getImageData(x * w, y * h, w, h).data, sum = [0, 0, 0];
                for (let k = 0; k < data.length; k += 4) for (let c = 0; c < 3; ++c) sum[c] += data[k + c];
                colours.push(sum.map((one) => Math.round(4 * one / data.length)));
              }
              done(colours);
            };
            image.src = "data:image/png;base64," + picture;""", shot)
        return [" ".join("%02x%02x%02x" % tuple(pixel) for pixel in pixels[row * 16:row * 16 + 16]) for row in range(12)]


# Texts whose contrast with what is behind them is less than 4.5, or 3 if they are large.
CONTRAST = r"""
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const parse = (colour) => { const m = colour.match(/rgba?\(([^)]+)\)/); if (!m) return [0, 0, 0, 0]; const p = m[1].split(/[ ,\/]+/).map(Number); return [p[0], p[1], p[2], p.length > 3 ? p[3] : 1]; };
const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const backs = new Map(), bad = [];
function backOf(element) {
  if (!element) return [255, 255, 255, 1];
  if (!backs.has(element)) {
    const own = parse(getComputedStyle(element).backgroundColor);
    backs.set(element, own[3] === 1 ? own : own[3] === 0 ? backOf(element.parentElement) : over(own, backOf(element.parentElement)));
  }
  return backs.get(element);
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const looked = new Set();
for (let node; (node = walker.nextNode());) {
  const element = node.parentElement;
  if (!node.data.trim() || looked.has(element) || element.closest("[hidden], .unseen, script, svg, :disabled, .skip, details:not([open]) > :not(summary)")) continue;
  looked.add(element);
  const back = backOf(element), style = getComputedStyle(element), text = over(parse(style.color), back), a = light(text), b = light(back);
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
  if (contrast < (size >= 24 || (size >= 18.6 && style.fontWeight >= 600) ? 3 : 4.5)) bad.push(node.data.trim().slice(0, 30) + " " + contrast.toFixed(2) + " " + element.className);
}
return [...new Set(bad)].slice(0, 5);
"""

# Controls without a name, tables without headings, and elements of the page that names of a program could have made.
STRUCTURE = r"""
const wrong = [];
for (const one of document.querySelectorAll("button, input, select, [role=region], [role=tablist], svg[role=img]")) {
  const name = one.getAttribute("aria-label") || one.textContent.trim() || (one.closest("label") && one.closest("label").textContent.trim()) || (one.getAttribute("aria-labelledby") && "named");
  if (!name) wrong.push("no name: " + one.outerHTML.slice(0, 80));
}
for (const one of document.querySelectorAll("table")) if (!one.querySelector("th[scope=col]")) wrong.push("a table without headings: " + one.className);
for (const one of document.querySelectorAll("img, b, iframe, object, embed, link, script:not(#document):not(#rules)")) if (one.textContent.length < 1000) wrong.push("an element " + one.tagName);
if (document.querySelectorAll("h1").length !== 1 || !document.querySelector("main") || !document.querySelector("header") || !document.querySelector("nav") || !document.querySelector("footer")) wrong.push("landmarks");
return wrong;
"""
