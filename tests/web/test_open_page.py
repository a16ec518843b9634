"""The page that tests open: what they arrange for it holds at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.web.moves import hold

BUSY = """setTimeout(() => {
  const end = performance.now() + 100;
  while (performance.now() < end);
})"""


@pytest.mark.nightly
def test_a_request_right_after_a_route_was_added_meets_it_though_the_page_is_busy(
    page: Page,
) -> None:
    """About one in five slips past a page's first route, hence the repetition."""
    page.evaluate("() => addEventListener('keydown', () => void fetch('/api/health?pressed'))")
    for _ in range(20):
        page.evaluate(f"() => void {BUSY}")
        let_go = hold(page, "**/health?pressed")
        page.keyboard.press("Shift")
        let_go()
