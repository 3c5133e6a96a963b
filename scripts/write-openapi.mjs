// Writes docs/openapi.json and docs/openapi-3.0.json from the built controllers. In preview mode Nest makes no provider, so no database is needed.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @param {string} file */
const built = (file) => require(`../dist/${file}.js`);

const { NestFactory } = require('@nestjs/core');
const { AppModule } = /** @type {typeof import('../src/app/app.module.js')} */ (built('app/app.module'));
const { openApiDocument } = /** @type {typeof import('../src/api-docs/openapi/openapi-document.js')} */ (
  built('api-docs/openapi/openapi-document')
);
const { inDialectOf30 } = /** @type {typeof import('../src/api-docs/openapi/openapi-3.0.js')} */ (
  built('api-docs/openapi/openapi-3.0')
);
const { AppConfig } = /** @type {typeof import('../src/platform/settings/config.js')} */ (
  built('platform/settings/config')
);
const { ApiAdapter } = /** @type {typeof import('../src/platform/http/server/api-adapter.js')} */ (
  built('platform/http/server/api-adapter')
);
const { createLogger } = /** @type {typeof import('../src/platform/logger.js')} */ (built('platform/logger'));

const options = { config: new AppConfig({}), logger: createLogger('silent') };
const app = await NestFactory.create(AppModule.forRoot(options), new ApiAdapter(), {
  preview: true,
  logger: ['error'],
});

const document = openApiDocument(app);
/** @type {(name: string, value: object) => void} */
const write = (name, value) => {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), `${JSON.stringify(value, null, 2)}\n`);
};
write('openapi.json', document);
write('openapi-3.0.json', inDialectOf30(document));
