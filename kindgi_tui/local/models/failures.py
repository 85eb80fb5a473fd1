"""What can go wrong between a question and a model's reply; each says in one sentence what to do next."""

from kindgi_tui.workbench import Invalid, Unavailable, Unsupported, WorkbenchError


class ModelError(WorkbenchError):
    """A model gave no usable reply. The sentence names the provider and never holds a key."""

    default_code = "model-error"


class ModelUnavailable(ModelError, Unavailable):
    """The provider can't be reached, is overloaded, hangs or limits us; `retry_after` says when, if known."""

    default_code = "model-unavailable"


class ModelRefused(ModelError, Invalid):
    """The provider refused the request (a 4xx); the sentence holds the provider's own."""

    default_code = "model-refused"


class ModelGarbled(ModelError, Unavailable):
    """The provider answered something that is no reply: not JSON, half an answer, no choices."""

    default_code = "model-garbled"


class NoProvider(ModelError, Unsupported):
    """No provider of that name is configured, its key is missing, or no model is named."""

    default_code = "no-provider"


class NoReplyCached(NoProvider):
    """No provider is configured and the reply cache has no reply to this request."""

    default_code = "no-reply-cached"


class BadModelsFile(ModelError, Invalid):
    """`models.toml` can't be read; the sentence names the file and, where it can, the line."""

    default_code = "bad-models-file"
