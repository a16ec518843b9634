# Emulators and product in one container, for teams without Python: `docker compose up`, then http://localhost:8080.
# For development only: nobody's token is checked against anything but the Auth emulator.
FROM node:22-trixie-slim AS base
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv openjdk-21-jre-headless \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /aurora/.venv

FROM base AS wheel
WORKDIR /source
COPY . .
RUN /aurora/.venv/bin/pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM base
RUN npm install --global firebase-tools@15.34.2 && firebase setup:emulators:firestore
WORKDIR /aurora
COPY constraints.txt firebase.container.json firestore.rules firestore.indexes.json ./
COPY --from=wheel /wheels /wheels
RUN .venv/bin/pip install --no-cache-dir -c constraints.txt /wheels/*.whl

# At SIGINT firebase-tools writes down what the emulators hold; at SIGTERM it waits for a product that does not end.
STOPSIGNAL SIGINT
ENV PATH=/aurora/.venv/bin:$PATH
CMD ["firebase", "emulators:exec", "--config", "firebase.container.json", "--project", "demo-aurora", \
     "--import", "/data/emulators", "--export-on-exit", "/data/emulators", \
     "aurora dev --store emulator --listen 0.0.0.0 --home /data/home --no-browser"]
