import type { INestApplication } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../platform/settings/config';
import { ConsumerRepository } from '../profiles/consumer.repository';
import { TouchpointRepository } from '../touchpoints/touchpoint.repository';
import { isSandboxDatabase } from './sandbox.repository';

const ANOTHER = 'or name another database in DATA_DIR or DATABASE_URL';

/**
 * Stops the start of a sandbox on the database of another deployment, and the reverse: everybody can sign an assertion
 * that a sandbox trusts, and its codes are known.
 */
export async function requireOwnDatabase(app: INestApplication): Promise<void> {
  const dataSource = app.get(DataSource);
  if (!app.get(AppConfig).isSandbox) {
    if (!(await isSandboxDatabase(dataSource))) return;
    throw new Error(`SANDBOX: this database belongs to a sandbox: set SANDBOX=true, ${ANOTHER}`);
  }
  // The demo touchpoint of a first start is nobody's until somebody uses it. Asked first, because a sandbox that starts at
  // the same time makes its tables before anybody can use it.
  const isInUse =
    (await app.get(TouchpointRepository).hasUsedKey()) || (await app.get(ConsumerRepository).hasConsumer());
  if (isInUse && !(await isSandboxDatabase(dataSource))) {
    throw new Error(`SANDBOX: this database belongs to another deployment: start without SANDBOX, ${ANOTHER}`);
  }
}
