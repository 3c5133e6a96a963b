import type { DescribeUser } from './foreign-user';
import { ldapHashText } from './hash-texts';
import type { Members } from './members';
import { flagOf, timeText } from './values';

/** A row whose columns have the names of our own fields, in any spelling: `firstName`, `First name`, `first_name`. */
export const describeRow: DescribeUser = (row) => {
  const hash = cell(row, 'passwordHash');
  return {
    email: cell(row, 'email'),
    emailVerified: flagOf(cell(row, 'emailVerified')),
    emailVerifiedAt: cell(row, 'emailVerifiedAt'),
    phone: cell(row, 'phone'),
    phoneVerified: flagOf(cell(row, 'phoneVerified')),
    phoneVerifiedAt: cell(row, 'phoneVerifiedAt'),
    firstName: cell(row, 'firstName'),
    lastName: cell(row, 'lastName'),
    name: cell(row, 'name'),
    locale: cell(row, 'locale'),
    passwordHash: typeof hash === 'string' ? ldapHashText(hash) : hash,
    createdAt: cell(row, 'createdAt'),
    updatedAt: cell(row, 'updatedAt'),
    fields: {
      customerId: cell(row, 'customerId'),
      birthDate: cell(row, 'birthDate'),
      disabledAt: timeText(cell(row, 'disabledAt')),
      address: cellsIn(row, 'address.'),
      attributes: cellsIn(row, 'attributes.'),
    },
  };
};

const cell = (row: Members, field: string): unknown =>
  row.first(...row.names().filter((name) => plain(name) === plain(field)));

/** The cells of the columns whose names begin so. */
function cellsIn(row: Members, prefix: string): object | undefined {
  const names = row.names().filter((name) => name.startsWith(prefix));
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name.slice(prefix.length), row.take(name)]));
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');
