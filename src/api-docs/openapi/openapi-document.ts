import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemDto } from '../../platform/errors/problem.dto';
import { DESCRIPTION, FLOW, TAGS } from './introduction';
import { isGuardedPath, Operations } from './operations';
import { inDialectOf31, withoutSuffix } from './schemas';
import { HEADERS, REQUEST_ID_PARAMETER } from './shared-headers';

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

/** The OpenAPI 3.1 document of the API, made from its controllers. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Consumer service')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/', 'This deployment')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Touchpoint-Code', description: 'The touchpoint’s public code.' },
      'touchpointCode',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'X-Touchpoint-Key',
        description:
          'The touchpoint’s secret key. It belongs on the touchpoint’s backend, never in a browser or an app.',
      },
      'touchpointKey',
    )
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The customer token: the `token` of a session.',
    })
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Subscriber-Code', description: 'The subscriber’s public code.' },
      'subscriberCode',
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Subscriber-Key', description: 'The subscriber’s secret key.' },
      'subscriberKey',
    );
  for (const [name, description] of Object.entries(TAGS)) settings.addTag(name, description);
  const scanned = SwaggerModule.createDocument(app, settings.build(), { extraModels: [ProblemDto] });
  const document = withoutSuffix('Dto', scanned);
  document.info.contact = { name: 'The business that runs this service' };
  document.paths = inFlow(document.paths);
  const operations = new Operations(document);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) if (item[method]) operations.complete(method, path, item[method]);
    if (isGuardedPath(path)) item.parameters = [{ $ref: '#/components/parameters/X-Request-Id' }];
  }
  Object.assign(document.components ?? {}, {
    parameters: { 'X-Request-Id': REQUEST_ID_PARAMETER },
    headers: HEADERS,
    responses: operations.sharedResponses,
    examples: operations.sharedExamples,
  });
  return inDialectOf31(document);
}

function inFlow(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  const place = (path: string): number => {
    const index = FLOW.findIndex((prefix) => path.startsWith(prefix));
    return index < 0 ? FLOW.length : index;
  };
  return Object.fromEntries(Object.entries(paths).sort(([a], [b]) => place(a) - place(b)));
}
