#!/usr/bin/env bash
# Lints docs/openapi.json and docs/openapi-3.0.json as partners' tools would: Redocly's recommended rules and Spectral's `oas` rules, with no
# error and no warning. The two are fetched at these versions when asked for, since they are larger than the service.
set -euo pipefail
cd "$(dirname "$0")/.."

export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true npm_config_update_notifier=false
ruleset=$(mktemp --suffix=.json)
trap 'rm -f "$ruleset"' EXIT
echo '{ "extends": "spectral:oas" }' >"$ruleset"

node scripts/check-openapi-gaps.mjs
npx --yes @redocly/cli@2.77.0 lint --extends=recommended-strict docs/openapi.json docs/openapi-3.0.json
npx --yes --package @stoplight/spectral-cli@6.16.3 -- \
  spectral lint --ruleset "$ruleset" --fail-severity=hint docs/openapi.json docs/openapi-3.0.json
