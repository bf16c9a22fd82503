# The one image of every part of Budgeteer; docker-compose.yml says which part a container runs.
#
# The base is pinned by tag, so that rebuilding takes the security fixes of that Python and that Debian. For a build
# that is the same byte for byte, name a digest: --build-arg PYTHON_IMAGE=python:3.12-slim-bookworm@sha256:…
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

# --- the wheel, from the checkout --------------------------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY budgeteer budgeteer
COPY templates templates
COPY static static
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

# --- the wheel and its dependencies, installed, compiled, its static files collected ------------------------------
FROM ${PYTHON_IMAGE} AS installed
COPY requirements.txt /requirements.txt
COPY --from=wheel /wheels /wheels
RUN python -m venv --without-pip /app/venv \
 && pip --python /app/venv/bin/python install --no-cache-dir --no-compile --only-binary :all: \
      --require-hashes --requirement /requirements.txt \
 && pip --python /app/venv/bin/python install --no-cache-dir --no-compile --no-deps /wheels/*.whl \
 && /app/venv/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /app/venv/lib
RUN BUDGETEER_DATA_DIR=/tmp/build BUDGETEER_STATIC_ROOT=/app/static \
      /app/venv/bin/django-admin collectstatic --no-input --verbosity 0 --settings budgeteer.settings

# --- what runs ---------------------------------------------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS budgeteer
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Budgeteer" \
      org.opencontainers.image.description="See what fits in a prompt, what does not, and why." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/python:3.12-slim-bookworm"

# A fixed number, so that whoever mounts a folder knows to whom to give it.
RUN groupadd --gid 10001 budgeteer \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin budgeteer \
 && install -d -o 10001 -g 10001 -m 0700 /data
COPY --from=installed /app /app

ENV PATH=/app/venv/bin:${PATH} \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    BUDGETEER_MODE=team \
    BUDGETEER_DATA_DIR=/data \
    BUDGETEER_STATIC_ROOT=/app/static \
    BUDGETEER_LOG_FORMAT=json
USER 10001:10001
WORKDIR /app
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
# For the web part; the compose file asks the other parts in their own way.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/ready/', timeout=4)"]
ENTRYPOINT ["budgeteer"]
CMD ["serve", "--only", "web", "--host", "0.0.0.0", "--port", "8000"]
