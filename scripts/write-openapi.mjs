// Writes docs/openapi.json from the built controllers. In preview mode Nest makes no provider, so no database is needed.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @param {string} file */
const built = (file) => require(`../dist/${file}.js`);

const { NestFactory } = require('@nestjs/core');
const { AppModule } = /** @type {typeof import('../src/app.module.js')} */ (built('app.module'));
const { openApiDocument } = /** @type {typeof import('../src/docs/openapi-document.js')} */ (
  built('docs/openapi-document')
);
const { AppConfig } = /** @type {typeof import('../src/platform/app-config.js')} */ (built('platform/app-config'));
const { ApiAdapter } = /** @type {typeof import('../src/platform/http/api-adapter.js')} */ (
  built('platform/http/api-adapter')
);
const { createLogger } = /** @type {typeof import('../src/platform/logger.js')} */ (built('platform/logger'));

const options = { config: new AppConfig({}), logger: createLogger('silent') };
const app = await NestFactory.create(AppModule.forRoot(options), new ApiAdapter(), {
  preview: true,
  logger: ['error'],
});

const document = await openApiDocument(app);
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
