# The decision service.  Everything it writes is in /data: the rest may be read-only.
FROM python:3.13-slim AS build
RUN python -m venv /venv
WORKDIR /source
COPY requirements/all.txt requirements/all.txt
RUN /venv/bin/python -m pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements/all.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /venv/bin/python -m pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
COPY --from=build /venv /venv
RUN useradd --uid 10001 --create-home shop && install -d -o shop -g shop /data
USER 10001
WORKDIR /data
VOLUME /data
ENV PATH=/venv/bin:$PATH HIGHSEASON_CACHE_DIR=/data/kernels PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
# Off loopback it starts only once there is a token: docs/guides/operating.md.
CMD ["highseason", "serve", "--host", "0.0.0.0"]
