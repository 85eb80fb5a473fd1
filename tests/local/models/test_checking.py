"""`models list` and `models check`."""

from kindgi_tui.local.models.checking import check, listed
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.models.providers import PRESETS
from tests.local.models.asked import KEY, provider
from tests.local.models.server import ModelServer, failed, hang


async def test_each_provider_gets_its_sentence() -> None:
    async with ModelServer() as good, ModelServer() as bad, ModelServer() as stuck:
        bad.script(failed(401, "Wrong key."))
        stuck.script(hang())
        config = ModelsConfig(
            providers={
                "good": provider(good).model_copy(update={"name": "good", "api_key_env": None}),
                "bad": provider(bad, default_model="m").model_copy(update={"name": "bad"}),
                "stuck": provider(stuck, default_model="m", timeout_s=0.2).model_copy(
                    update={"name": "stuck"}
                ),
                "openai": PRESETS["openai"].model_copy(update={"default_model": "m"}),
            }
        )
        assert [s.ready for s in listed(config, {"KEY": KEY})] == [None] * 4
        assert [s.sentence for s in listed(config, {"KEY": KEY})] == [
            "No key is sent.",
            "Its key is in KEY.",
            "Its key is in KEY.",
            "Its key is missing: set OPENAI_API_KEY.",
        ]
        assert good.received == []
        found = await check(config, {"KEY": KEY})
        assert [(s.provider, s.model, s.ready) for s in found] == [
            ("good", "mock", True),
            ("bad", "m", False),
            ("stuck", "m", False),
            ("openai", "m", False),
        ]
        assert found[0].sentence == "mock answers."
        assert "Wrong key." in found[1].sentence
        assert "no answer within 0.2 s" in found[2].sentence
        assert "Set OPENAI_API_KEY" in found[3].sentence
        assert (len(good.received), len(bad.received), len(stuck.received)) == (1, 1, 1)


async def test_no_model_to_ask() -> None:
    async with ModelServer(models=()) as server:
        config = ModelsConfig(providers={"p": provider(server)})
        (found,) = await check(config, {"KEY": KEY})
        assert not found.ready
        assert "default_model" in found.sentence
