#!/usr/bin/env bash
# Generates a Python and a Java client from docs/openapi-3.0.json, compiles both, and has each register a consumer, log in
# and read the profile at the built service. The generator is fetched at this version; its jar holds what Java needs
# (Jackson, Swagger's annotations). Installs what it needs of Java and Python where it may.
set -euo pipefail
cd "$(dirname "$0")/.."

export npm_config_update_notifier=false
# Debian's own Python, which has Debian's packages.
has_tools() { command -v javac && /usr/bin/python3 -c 'import certifi, dateutil, six, urllib3'; } >/dev/null 2>&1
if ! has_tools; then
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends \
    default-jdk-headless python3 python3-certifi python3-dateutil python3-six python3-urllib3 >/dev/null
fi

work=$(mktemp -d)
service=
trap 'if [[ -n $service ]]; then kill "$service"; wait "$service" || true; fi; rm -rf "$work"' EXIT

npm install --silent --no-save --ignore-scripts --no-audit --no-fund --prefix "$work" @openapitools/openapi-generator-cli@1.0.18-4.3.1
jar=$work/node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar
generate() { java -jar "$jar" generate -i docs/openapi-3.0.json -o "$work/$1" "${@:2}" >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; return 1; }; }
generate python -g python
generate java -g java --library native -p dateLibrary=java8
/usr/bin/python3 -m compileall -q "$work/python/openapi_client"
mkdir "$work/classes"
find "$work/java/src/main/java" test/generated-clients/java -name '*.java' >"$work/sources"
javac -nowarn -proc:none -cp "$jar" -d "$work/classes" "@$work/sources"

export API=http://127.0.0.1:${GENERATED_CLIENTS_PORT:-3917} TOUCHPOINT_CODE=generated
settings=(DATA_DIR="$work/data" PORT="${API##*:}" LOG_LEVEL=warn BCRYPT_COST=4)
env "${settings[@]}" node dist/main.js >"$work/service.log" 2>&1 &
service=$!
ready() { node -e "fetch('$API/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"; }
for _ in {1..60}; do ready && break || sleep 0.5; done
ready || { cat "$work/service.log"; exit 1; }
created=$(env "${settings[@]}" node dist/cli.js touchpoint create --code "$TOUCHPOINT_CODE" --json)
TOUCHPOINT_KEY=$(node -p 'JSON.parse(process.argv[1]).key' "$created")
export TOUCHPOINT_KEY

PYTHONPATH=$work/python /usr/bin/python3 test/generated-clients/flow.py
java -cp "$jar:$work/classes" Flow
echo '2 passed, 0 failed'
