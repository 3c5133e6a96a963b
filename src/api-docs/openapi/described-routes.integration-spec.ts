import type { INestApplication } from '@nestjs/common';
import { ApiDocument, linesOf } from '../../../test/support/documents/api-document';
import { TestApp } from '../../../test/support/in-process/test-app';

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** What Swagger serves itself, and the routes behind all others. */
const NOT_OPERATIONS = /^\/(docs|openapi(-3\.0)?\.json)|\*/;

/** `GET /path/{parameter}` for every route that the running service knows. */
function routesOf(nest: INestApplication): string[] {
  const { router } = nest.getHttpAdapter().getInstance() as { router: { stack: RouterLayer[] } };
  return router.stack.flatMap(({ route }) => {
    if (!route || NOT_OPERATIONS.test(route.path)) return [];
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    return Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${path}`);
  });
}

describe('the OpenAPI document', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  it('describes every route of the service and no other', async () => {
    const lines = linesOf((await ApiDocument.of(app)).operations);
    expect(lines.sort()).toEqual(routesOf(app.nest).sort());
    expect(lines).toEqual(expect.arrayContaining(['GET /api/v1/me', 'PATCH /api/v1/me']));
  });
});
