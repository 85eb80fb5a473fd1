"""Asking models: providers, second tries, the reply cache (DESIGN section 9).

Why there is an own client of OpenAI's chat completions, where a library was wanted. Measured on two shared cores
(`tests/benchmarks/models_candidates.py`): 500 calls of 50 ms, medians of three rounds on a quiet machine; `wall` is
× the ideal, import is the time to the first call. The whole engine may take 2 × at 50 at once and 1.2 × at 10, and
0.6 ms of CPU a case on top of its library (DESIGN section 15).

    library, over aiohttp where it can     import s   50: wall   CPU ms   10: wall   other packages it needs
    bare aiohttp                              0.15       1.2       0.2       1.07     -
    ours (a loaded machine; floor 1.17)       0.3        1.24      0.27      1.12     -
    openai 3.57                               0.6        2.0       1.6       1.3      httpx2, jiter, anyio
    openai 3.57, raw response                 0.6        1.9       1.4       1.2      the same
    openai 3.57 over httpx                    0.6        2.4       2.1       1.2      the same
    anthropic 2.14                            1.4        1.5       1.0       1.2      the same, opentelemetry
    pydantic-ai-slim 2.68, direct             1.2        2.4       2.1       1.24     openai, opentelemetry, 3 more
    pydantic-ai-slim 2.68, over httpx         1.1        2.8       2.7       1.3      the same
    any-llm-sdk 1.40                          1.5        2.6       2.4       1.2      openai, 119 MB in all
    litellm 1.110                             3.2        5.0       4.8       1.7      381 MB in all

- Every general library spends the whole engine's time budget by itself at 50 at once, before any replay or scoring.
  openai's own SDK comes nearest; beside replay and a durable write it leaves nothing.
- Chat completions is the one protocol that hosted and local servers share (OpenAI, Gemini, Mistral, Groq,
  OpenRouter, DeepSeek, Ollama, llama.cpp, vLLM): stable for years, and without streaming one POST, which
  `openai_chat` holds in pure functions. aiohttp, kept well, does the connections. The base install needs no more.
- Limits, `Retry-After`, second tries and sentences for people had to be ours with any of them: their own retries
  neither share a provider's pause among calls nor have a clock a test can set.
- Anthropic's own protocol goes through its SDK over aiohttp, in the extra `models`: it is the vendor's, moves with
  the protocol, and has the lightest calls of the SDKs; only its import is slow (once, off the first frame).

Where things are: `calls` (request and reply), `config`, `models_file` and `providers` (models.toml, environment,
prices), `asking` (`Models`: slots, limits, tries), `retrying` (when to try again), `openai_chat` and `openai_client`,
`anthropic_client`, `tool_names`, `typed` (typed answers), `cache` (`cache_key`, `CachedModels`), `checking` (list and
check), `failures`, `wire_text` (what can be written and said).
"""
