"""Asking models: providers, second tries, the reply cache (DESIGN section 9).

Why there is an own client of OpenAI's chat completions, where a library was wanted. Measured on two shared cores
(`tests/benchmarks/models_candidates.py`): 500 calls of 50 ms, medians of three rounds; `wall` is × the ideal. The whole
engine may take 2 × at 50 at once and 1.2 × at 10 (DESIGN section 15).

    library, with aiohttp where it can        import s   50: wall   CPU ms   10: wall
    own client over aiohttp                     0.15       1.2       0.2       1.07
    openai 3.57                                 0.6        2.0       1.6       1.3
    openai 3.57, raw response                   0.6        1.9       1.4       1.2
    openai 3.57 over httpx                      0.6        2.4       2.1       1.2
    anthropic 2.14                              1.4        1.5       1.0       1.2
    pydantic-ai-slim 2.68, direct               1.2        2.5       2.1       1.24
    any-llm-sdk 1.40                            1.5        2.6       2.4       1.2
    litellm 1.110                               3.1        5.0       4.8       1.7

- Every general library spends the whole engine's time budget by itself at 50 at once, before any replay or scoring.
- Chat completions is the one protocol that hosted and local servers share (OpenAI, Gemini, Mistral, Groq, OpenRouter,
  DeepSeek, Ollama, llama.cpp, vLLM). Without streaming it's one POST, which `openai_chat` holds in pure functions;
  aiohttp, which is kept well, does the connections. So the base install needs nothing more.
- Limits, `Retry-After`, second tries and sentences for people had to be ours with any of them: their own retries
  neither share a provider's pause among calls nor have a clock a test can set.
- Anthropic's own protocol goes through its SDK over aiohttp, in the extra `models`: it fits the budget, and it
  follows a protocol that moves faster.

Where things are: `calls` (request and reply), `config` and `providers` (models.toml, environment, prices), `asking`
(`Models`: slots, limits, tries), `retrying` (when to try again), `openai_chat` and `openai_client`, `anthropic_client`,
`typed` (typed answers), `cache` (`cache_key`, `CachedModels`), `checking` (list and check), `failures`.
"""
