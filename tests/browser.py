"""Headless Chromium, for tests and pictures of pages."""
import os
import shutil

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


def missing() -> str:
    """What is needed and not installed; empty if all is there."""
    if webdriver is None:
        return "python3-selenium is not installed"
    return "" if CHROMIUM and DRIVER else "chromium-headless-shell and chromium-driver are not installed"


def start():
    """A driver whose logs have what reached the console and each request."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--force-color-profile=srgb"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER, log_path=os.devnull), options=options)
