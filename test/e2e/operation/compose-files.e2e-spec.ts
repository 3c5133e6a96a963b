import Ajv from 'ajv';
import composeSchema from '../../fixtures/compose-spec/compose-spec.json';
import { compose, composeSandbox, composeScale, readContainerFile } from '../../support/documents/container-files';

describe('the Compose files', () => {
  const validate = new Ajv({ strict: false, validateSchema: false }).compile(composeSchema);
  const services = Object.entries({ ...composeScale.services, ...compose.services });

  it.each([
    ['compose.yaml', compose],
    ['compose.scale.yaml', composeScale],
    ['sandbox/compose.yaml', composeSandbox],
  ])('%s fits the schema of the Compose Specification', (_, file) => {
    validate(file);
    expect(validate.errors).toBeNull();
  });

  it('are refused by that schema where a field is misspelt', () => {
    const { image } = compose.services.redis ?? {};
    expect(validate({ services: { redis: { image, healthchek: {} } } })).toBe(false);
  });

  it.each(services)('%s runs without root, capabilities or files of its own to write', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    // The image of the service names its user itself.
    if (!['service', 'console', 'migrate'].includes(name)) expect(service.user).toMatch(/^(?!root$|0(:|$))./);
  });

  it.each(services)('%s comes from an image of one release', (_, { image }) => {
    expect(image).toMatch(
      /^(consumer-service:\$\{VERSION:-local\}|[a-z/]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?)$/,
    );
  });

  it.each(services)('%s waits for services, volumes and secrets that exist', (_, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const awaited = compose.services[name];
      expect(awaited).toBeDefined();
      // The health check of the service itself is in its image.
      if (condition === 'service_healthy' && name !== 'service') expect(awaited?.healthcheck?.test).toBeDefined();
    }
    const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    for (const volume of volumes.filter((source) => !source.startsWith('.')))
      expect(compose.volumes).toHaveProperty(volume);
    for (const { source } of service.secrets ?? []) expect(compose.secrets).toHaveProperty(source);
  });

  it('publish ports on this machine alone', () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published.length).toBeGreaterThan(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('give no secret a default', () => {
    for (const name of ['compose.yaml', 'compose.scale.yaml']) {
      const uses = readContainerFile(name).matchAll(/\$\{((?:APP_SECRET|POSTGRES_PASSWORD)[^}]*)\}/g);
      for (const [, use] of uses) expect(use).toMatch(/^[A-Z_]+:\?/);
    }
  });
});
