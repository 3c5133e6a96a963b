import { prepareTemplate } from '../database/database';
import { makeRunDirectory, RUN } from './run';

/** Before the first test of a run. */
export default async function setUp(): Promise<void> {
  makeRunDirectory();
  await prepareTemplate(RUN);
}
