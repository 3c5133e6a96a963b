import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { register } from '../../support/api/consumers';
import { begin, reset } from '../../support/api/recovery';
import { scrape } from '../../support/service/metrics';
import { SubscriberClient } from '../../support/api/subscribers';
import { TestService } from '../../support/service/test-service';

interface AlertRules {
  groups: { rules: { alert: string; expr: string; annotations: { summary?: string; runbook?: string } }[] }[];
}

interface Dashboard {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
}

const read = (path: string) => readFileSync(join(__dirname, '../../..', path), 'utf8');
const metricsIn = (expression: string) => expression.match(/consumer_service_\w+/g) ?? [];

/** Prometheus' own, by which it tells of the scrapes themselves. */
const ownOfPrometheus = 'up{job="consumer-service"}';

describe('the guide to monitoring', () => {
  const guide = read('docs/operate/monitoring.md');
  const alerts = (parse(read('docker/alerts.yaml')) as AlertRules).groups.flatMap(({ rules }) => rules);
  const { panels } = JSON.parse(read('docker/grafana-dashboard.json')) as Dashboard;
  let exported: Set<string>;
  let routes: string[];
  /** The service's own metrics, each with its kind and meaning. */
  let described: string[];

  beforeAll(async () => {
    // A Redis that is named has a metric, also one that nobody runs.
    const env = { REDIS_URL: 'redis://127.0.0.1:1' };
    const app = await TestService.start({ replicaOf: await TestService.shared(), metrics: true, env });
    const client = await app.client();
    const { email } = await register(client);
    await reset(client, await begin(client, email), '00000000');
    await client.get('/health/ready');
    // The gauges of subscribers name each of them.
    await SubscriberClient.create(app);
    const { text, samples } = await scrape(app.metricsAddress);
    exported = new Set(samples.map(({ name }) => name));
    routes = samples.flatMap(({ labels: { route } }) => route ?? []);
    described = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)/gm)]
      .filter(([, name = '']) => !/_(process|nodejs)_/.test(name))
      .map(([, name = '', help = '', type = '']) => `${name}: ${type}: ${help}`);
  });

  it('explains every metric, and none that is not there', () => {
    const rows = [...guide.matchAll(/^\| `(consumer_service_\w+)`\s*\| (\w+)\s*\|[^|]*\| (.*?)\s*\|$/gm)];
    expect(rows.map(([, name, type, help]) => `${name}: ${type}: ${help}`).sort()).toEqual(described.sort());
  });

  it('has a dashboard that shows only what the service exports', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.filter((expression) => metricsIn(expression).length === 0)).toEqual([]);
    expect(expressions.flatMap(metricsIn).filter((name) => !exported.has(name))).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('has alerts that judge only what the service exports, and says what each one means', () => {
    expect(alerts.length).toBeGreaterThan(0);
    for (const { alert, expr, annotations } of alerts) {
      const names = metricsIn(expr);
      expect([alert, names.filter((name) => !exported.has(name))]).toEqual([alert, []]);
      expect(names.length > 0 || expr.includes(ownOfPrometheus)).toBe(true);
      expect(annotations.summary).toMatch(/\w/);
      expect(annotations.runbook).toBe(`docs/operate/monitoring.md#${alert.toLowerCase()}`);
    }
    const [, section = ''] = /^## Alerts$(.*)/ms.exec(guide) ?? [];
    const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
  });

  it('has alerts on failures and latency that count requests of the API, and no health probe', () => {
    const selectors = alerts.flatMap(({ expr }) => expr.match(/http_request_duration_seconds_\w+(\{[^}]*\})?/g) ?? []);
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) {
      const [, pattern] = /route=~"([^"]+)"/.exec(selector) ?? [];
      const counted = routes.filter((route) => new RegExp(`^(?:${pattern})$`).test(route));
      expect(new Set(counted)).toEqual(
        new Set(['/api/v1/register', '/api/v1/password/forgot', '/api/v1/password/reset']),
      );
    }
  });
});
