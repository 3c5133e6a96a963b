#!/usr/bin/env bash
# Starts PostgreSQL and Redis on this machine where they do not answer, and installs them, nginx and PgBouncer (Debian)
# where missing.
set -euo pipefail

install() {
  command -v "$1" >/dev/null || {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null
  }
}

wait_for() { # wait_for NAME COMMAND…
  local name=$1
  shift
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "$name does not answer" >&2
  return 1
}

postgres() { psql -qtA -h 127.0.0.1 -p 5432 -U postgres -c "$1"; }
postgres_answers() { postgres 'SELECT 1'; }
restart_postgres() {
  pg_ctlcluster --skip-systemctl-redirect "$1" main restart || pg_ctlcluster --skip-systemctl-redirect "$1" main start
}
redis_answers() { redis-cli -h 127.0.0.1 ping | grep -q PONG; }

install psql postgresql
install redis-cli redis-server
install nginx nginx
install pgbouncer pgbouncer

if ! postgres_answers >/dev/null 2>&1; then
  version=$(ls /etc/postgresql | sort -V | tail -n 1)
  # Only this machine's own tests connect, over the loopback interface.
  sed -i -E 's/^(host +all +all +127\.0\.0\.1\/32 +).*/\1trust/' "/etc/postgresql/$version/main/pg_hba.conf"
  restart_postgres "$version"
fi
wait_for PostgreSQL postgres_answers
# Two workers run a dozen services at a time, each with up to ten connections.
if (($(postgres 'SHOW max_connections') < 300)); then
  postgres 'ALTER SYSTEM SET max_connections = 300'
  restart_postgres "$(ls /etc/postgresql | sort -V | tail -n 1)"
  wait_for PostgreSQL postgres_answers
fi
redis_answers >/dev/null 2>&1 ||
  redis-server --daemonize yes --bind 127.0.0.1 --port 6379 --save '' --appendonly no >/dev/null

wait_for PostgreSQL postgres_answers
wait_for Redis redis_answers
