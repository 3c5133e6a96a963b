// Prints what a production installation holds as a CycloneDX document. `npm sbom --omit=dev` would leave out half of it.
import { createHash } from 'node:crypto';
import { directDependencies, productionPackages, project } from './production-packages.mjs';

const purl = (/** @type {{ name: string, version: string }} */ { name, version }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;
/** A package may lie there more than once in one version. */
const purls = new Map(productionPackages.map((one) => [one.path, purl(one)]));
const refsOf = (/** @type {string[]} */ paths) =>
  [...new Set(paths.flatMap((path) => purls.get(path) ?? []))].toSorted();

const licenseOf = (/** @type {string} */ license) =>
  /^[A-Za-z0-9.-]+$/.test(license) ? { license: { id: license } } : { expression: license.replace(/^\((.*)\)$/, '$1') };

const components = new Map(
  productionPackages.map(({ path, name, version, integrity, license }) => {
    const [algorithm = '', digest = ''] = integrity.split('-', 2);
    const [scope, ...rest] = name.split('/');
    const ref = purls.get(path) ?? '';
    return [
      ref,
      {
        type: 'library',
        'bom-ref': ref,
        ...(rest.length > 0 ? { group: scope, name: rest.join('/') } : { name }),
        version,
        purl: ref,
        licenses: [licenseOf(license)],
        hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
      },
    ];
  }),
);
const dependencies = new Map(
  productionPackages.map(({ path, dependencies }) => [purls.get(path) ?? '', refsOf(dependencies)]),
);

const ref = purl(project);
const content = {
  metadata: {
    component: { type: 'application', 'bom-ref': ref, name: project.name, version: project.version, purl: ref },
  },
  components: [...components.values()],
  dependencies: [
    { ref, dependsOn: refsOf(directDependencies) },
    ...[...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  ],
};
// Equal installations have equal documents, whenever they are made.
const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-8$3-8$4-$5');
console.log(
  JSON.stringify(
    { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${serial}`, version: 1, ...content },
    null,
    2,
  ),
);
