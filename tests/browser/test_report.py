"""The report opened from disk in Chromium."""

import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.models.training import TrainingSettings
from seer.notes import Note, Notes
from seer.report import report_html
from tests.conftest import make_corpus

pytestmark = pytest.mark.browser

EVIL = "<img src=http://127.0.0.1:9/x onerror=alert(1)>"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A report with markup in texts, classes and notes."""
    folder = tmp_path_factory.mktemp("report")
    rows = [
        (f"{word} {EVIL} film {place % 3}", (place + (place % 5 == 0)) % 2, split)
        for place, word in enumerate(["bad", "good"] * 20)
        for split in ("train", "test")
    ]
    study = train_study(
        make_corpus(rows, (EVIL, "</script><script>alert(2)</script>")),
        folder / "study",
        architecture={"embedding": 6, "hidden": 8},
        training=TrainingSettings(epochs=4, learning_rate=1e-2),
        analysis=AnalysisSettings(states=5, components=3),
    )
    notes = Notes(folder / "notes.sqlite", study.hash, study.corpus.fingerprint)
    notes.put("r0", Note("other", EVIL, "clean"), "Ann")
    path = folder / "report.html"
    path.write_text(report_html(study, "test", notes.current()), encoding="utf-8")
    return path


@pytest.fixture
def opened(page, file):
    """The page on the report; ``page.outside`` holds its requests beyond the file."""
    page.outside, page.dialogs = [], []
    page.on("request", lambda request: page.outside.append(request.url) if request.url != file.as_uri() else None)
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(file.as_uri())
    page.locator("#graph canvas").wait_for()
    yield page
    assert page.console_errors == []
    assert [url for url in page.outside if not url.startswith("data:")] == []
    assert page.dialogs == []


def card(page):
    return page.locator("#cards .place:visible")


@pytest.mark.hard_inputs(39)
def test_markup_is_text_and_no_image_is_made(opened):
    assert opened.locator("img").count() == 0
    for part in ("#overview", "#errors", "#notes", "#cards"):
        assert EVIL in opened.locator(part).text_content()


def test_a_click_in_the_graph_shows_the_state(opened):
    graph = opened.locator("#graph")
    graph.scroll_into_view_if_needed()
    assert card(opened).count() == 0
    for state in (2, 4):
        spot = graph.evaluate("(root, state) => root.graph.where(state)", state)
        opened.mouse.click(spot["x"], spot["y"])
        assert card(opened).locator("h4").text_content() == f"S{state}"
        assert "Distinctive words" in card(opened).text_content()
    opened.mouse.click(spot["x"], spot["y"])
    assert card(opened).count() == 0


def test_a_link_shows_its_state_and_the_address_keeps_it(opened):
    opened.locator("#machine table a.s", has_text="S3").first.click()
    assert card(opened).locator("h4").text_content() == "S3"
    assert opened.url.endswith("#state-3")
    opened.reload()
    opened.locator("#graph canvas").wait_for()
    assert card(opened).locator("h4").text_content() == "S3"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_both_themes(opened, scheme):
    opened.set_viewport_size({"width": 390, "height": 844})
    opened.emulate_media(color_scheme=scheme)
    opened.wait_for_timeout(200)
    assert not opened.evaluate("document.documentElement.scrollWidth > innerWidth")
    ink, paper = opened.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (ink, paper)]
    assert (brightness[0] < brightness[1]) == (scheme == "light")


def test_without_scripts_all_but_the_drawing_is_there(browser, file):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{file.as_uri()}#state-2")
    assert card(page).locator("h4").text_content() == "S2"
    assert "The drawing needs JavaScript" in page.locator("#machine").inner_text()
    context.close()
