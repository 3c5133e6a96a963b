import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS } from './migrations';

const names = MIGRATIONS.map((Migration) => new Migration().name);

describe('migrations', () => {
  it('keep the names by which deployed databases know them', () => {
    expect(names.slice(0, 9)).toEqual([
      '0001-touchpoints-1763683200000',
      '0002-consumers-1763683200001',
      '0003-auth-1763683200002',
      '0004-verification-1763683200003',
      '0005-audit-1763683200004',
      '0006-audit-trail-1763683200005',
      '0007-identify-1763683200006',
      '0008-idempotency-1763683200007',
      '0009-imports-1763683200008',
    ]);
  });

  it('are named by the numbers of their files, in order and without gaps', () => {
    const files = readdirSync(join(__dirname, '../../../../migrations')).filter((file) => file.endsWith('.up.sql'));
    expect(names.map((name) => name.replace(/-\d+$/, '.up.sql'))).toEqual(files.sort());
    expect(names.map((name) => [name.slice(0, 4), name.slice(-13)])).toEqual(
      names.map((_, index) => [String(index + 1).padStart(4, '0'), String(1_763_683_200_000 + index)]),
    );
  });
});
