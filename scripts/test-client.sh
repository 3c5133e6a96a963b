#!/usr/bin/env bash
# Checks the client package against docs/openapi.json, runs what is packed in several runtimes, as far as the npm registry
# has them for this machine, and tests it against the built service.
set -euo pipefail
cd "$(dirname "$0")/.."
npm ci --ignore-scripts --prefix clients/typescript
npm run --silent check --prefix clients/typescript
npm run --silent try-runtimes --prefix clients/typescript -- node@22 node@24 bun@1
npm test --prefix clients/typescript
