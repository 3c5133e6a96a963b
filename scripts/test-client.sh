#!/usr/bin/env bash
# Checks the client package against docs/openapi.json, and runs its tests against the built service.
set -euo pipefail
cd "$(dirname "$0")/../clients/typescript"
npm ci --ignore-scripts
npm run --silent check
npm test
