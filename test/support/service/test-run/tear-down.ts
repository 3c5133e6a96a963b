import { dropDatabases } from '../database/database';
import { removeRunDirectory, RUN } from './run';

/** After the last test of a run, when the services that files shared have ended with their worker. */
export default async function tearDown(): Promise<void> {
  await dropDatabases(RUN);
  await removeRunDirectory();
}
