// Writes clients/postman/consumer-service.postman_collection.json (Postman Collection v2.1, which Bruno and Insomnia also
// import) from docs/openapi.json. With --check it writes nothing, and fails when the file is not what it would write.
import { readFileSync, writeFileSync } from 'node:fs';

/** @typedef {{ example?: unknown, examples?: Record<string, { value: unknown }> }} Content */
/** @typedef {{ name: string, in: string, description?: string, required?: boolean, schema: { examples?: unknown[], enum?: unknown[], default?: unknown } }} Parameter */
/**
 * @typedef {object} Operation
 * @property {string} operationId @property {string} summary @property {string} description @property {string[]} tags
 * @property {(Parameter | { $ref: string })[]} [parameters] @property {Record<string, string[]>[]} [security]
 * @property {{ content: Record<string, Content> }} [requestBody]
 * @property {Record<string, { description: string, content?: Record<string, Content> }>} responses
 */

const FILE = new URL('../clients/postman/consumer-service.postman_collection.json', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'));
const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/** As somebody tries them, one after the other; the others follow as the document has them. */
const ORDER = [
  ...['postRegister', 'postRegisterComplete', 'postLogin', 'getMe', 'patchMe', 'postVerificationsChannelRequest'],
  ...['postVerificationsChannelConfirm', 'postSessionExtend', 'getMeSessions', 'deleteMeSessionsSessionId'],
  ...['postPasswordChange', 'postLogout', 'postPasswordForgot', 'postPasswordReset', 'postIdentify'],
];

/** What stands in place of an example. The codes are those of a sandbox, for addresses under `.test`. */
const VARIABLES = {
  baseUrl: 'http://127.0.0.1:3000',
  touchpointCode: 'demo',
  touchpointKey: '',
  subscriberCode: 'crm',
  subscriberKey: '',
  email: 'ada@shop.test',
  password: 'correct horse battery staple',
  newPassword: 'hold fast to the analytical engine',
  code: '424242',
  recoveryCode: '42424242',
  channel: 'email',
  ...{ customerId: '', token: '', registrationId: '', recoveryId: '', sessionId: '', assertion: '', position: '' },
};

/** By the name of a field or parameter; what is not named here keeps its example. @type {Record<string, keyof typeof VARIABLES>} */
const VARIABLE_OF = {
  ...{ email: 'email', identifier: 'email', password: 'password', currentPassword: 'password', code: 'code' },
  ...{ newPassword: 'newPassword', registrationId: 'registrationId', recoveryId: 'recoveryId' },
  ...{ sessionId: 'sessionId', customerId: 'customerId', assertion: 'assertion', channel: 'channel' },
  position: 'position',
};

/** @type {Record<string, string>} */
const CREDENTIALS = {
  touchpointCode: 'X-Touchpoint-Code',
  touchpointKey: 'X-Touchpoint-Key',
  subscriberCode: 'X-Subscriber-Code',
  subscriberKey: 'X-Subscriber-Key',
};

/** Runs after each request: what an answer names is there for the next one. */
const KEEP = `if (/json/.test(pm.response.headers.get('Content-Type') || '')) {
  const answer = pm.response.json();
  const other = Array.isArray(answer) ? answer.find(({ current }) => current === false) : undefined;
  for (const name of ['customerId', 'token', 'registrationId', 'recoveryId', 'sessionId']) {
    const value = (other || answer)[name];
    if (value) pm.collectionVariables.set(name, value);
  }
  if (answer.nextAfter) pm.collectionVariables.set('position', answer.nextAfter);
}`;

/** @param {Parameter | { $ref: string }} parameter @returns {Parameter} */
const resolved = (parameter) =>
  '$ref' in parameter ? document.components.parameters[parameter.$ref.replace(/.*\//, '')] : parameter;

/** @param {Parameter} parameter */
function valueOf({ name, schema: { examples, enum: values, default: preset } }) {
  if (name === 'Idempotency-Key') return '{{$guid}}';
  const variable = VARIABLE_OF[name];
  const example = examples?.[0] ?? values?.[0] ?? preset ?? '';
  if (variable) return `{{${variable}}}`;
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** @param {Record<string, Content>} content */
function exampleOf(content) {
  const { example, examples = {} } = content['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}

/** @param {Operation} operation @param {unknown} body */
function withVariables({ operationId }, body) {
  const isRecovery = operationId === 'postPasswordReset';
  const text = JSON.stringify(
    body,
    (name, value) => {
      const variable = VARIABLE_OF[name];
      return variable && typeof value === 'string'
        ? `{{${name === 'code' && isRecovery ? 'recoveryCode' : variable}}}`
        : value;
    },
    2,
  );
  return { mode: 'raw', raw: text, options: { raw: { language: 'json' } } };
}

/** @param {string} method @param {string} path @param {Parameter[]} shared @param {Operation} operation */
function itemOf(method, path, shared, operation) {
  const parameters = [...shared, ...(operation.parameters ?? []).map(resolved)];
  /** @param {string} place */
  const given = (place) => parameters.filter((parameter) => parameter.in === place);
  const schemes = [...new Set((operation.security ?? []).flatMap((scheme) => Object.keys(scheme)))];
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/');
  const body = operation.requestBody && exampleOf(operation.requestBody.content);
  const query = given('query').map((parameter) => ({
    ...{ key: parameter.name, value: valueOf(parameter), description: parameter.description ?? '' },
    ...(parameter.required !== true && { disabled: true }),
  }));
  const variable = given('path').map((parameter) => ({
    ...{ key: parameter.name, value: valueOf(parameter), description: parameter.description ?? '' },
  }));
  const header = [
    ...schemes.flatMap((scheme) => {
      const key = CREDENTIALS[scheme];
      return key === undefined ? [] : [{ key, value: `{{${scheme}}}` }];
    }),
    ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ...given('header').map((parameter) => ({
      ...{ key: parameter.name, value: valueOf(parameter), description: parameter.description ?? '' },
      ...(parameter.name !== 'Idempotency-Key' && { disabled: true }),
    })),
  ];
  const answers = Object.entries(operation.responses).flatMap(([status, { description, content = {} }]) => {
    const example = exampleOf(content);
    const headers = [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }];
    return Number(status) < 300 && example !== undefined
      ? [{ name: description, code: Number(status), header: headers, body: JSON.stringify(example, null, 2) }]
      : [];
  });
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      auth: schemes.includes('bearer')
        ? { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] }
        : { type: 'noauth' },
      header,
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments,
        ...(query.length > 0 && { query }),
        ...(variable.length > 0 && { variable }),
      },
      ...(body !== undefined && { body: withVariables(operation, body) }),
      description: operation.description,
    },
    response: answers,
  };
}

/** @type {{ operation: Operation, method: string, path: string, shared: Parameter[] }[]} */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => method in item).map((method) => {
    const shared = (item.parameters ?? []).map(resolved);
    return { operation: item[method], method, path, shared };
  }),
);
const placeOf = (/** @type {string} */ id) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
const sorted = operations.toSorted((a, b) => placeOf(a.operation.operationId) - placeOf(b.operation.operationId));

const collection = {
  info: {
    name: document.info.title,
    description:
      'Set `baseUrl`, `touchpointCode` and `touchpointKey` among the variables of the collection. A token, and the ids that an answer names, are kept for the next request.',
    version: document.info.version,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value, type: 'string' })),
  event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP.split('\n') } }],
  item: document.tags.map((/** @type {{ name: string, description: string }} */ { name, description }) => ({
    name,
    description,
    item: sorted
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, shared, operation }) => itemOf(method, path, shared, operation)),
  })),
};

const text = `${JSON.stringify(collection, null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('The collection is not that of docs/openapi.json: run node scripts/write-postman.mjs');
  process.exitCode = 1;
}
