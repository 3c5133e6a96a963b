#!/usr/bin/env bash
# Checks the client package against docs/openapi.json, runs its tests against the built service, and installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
npm ci --ignore-scripts --prefix clients/typescript
npm run --silent check --prefix clients/typescript
npm test --prefix clients/typescript

backend=$(mktemp -d)
trap 'rm -rf "$backend"' EXIT
npm pack --silent --pack-destination "$backend" ./clients/typescript
cd "$backend"
npm install --silent --no-audit --no-fund ./consumer-service-client-*.tgz
node --input-type=module -e 'import { ConsumerServiceClient } from "consumer-service-client"; ConsumerServiceClient.name'
