import { Role } from '../operators/role';

const { Auditor, Support, Operator, Admin } = Role;
const EVERYBODY = [Auditor, Support, Operator, Admin];
const READERS_OF_SETTINGS = [Auditor, Operator, Admin];
const OPERATORS = [Operator, Admin];
const SUPPORTERS = [Support, Admin];
const ADMINS = [Admin];

/** Every route of the console for who is signed in, and the roles that may use it. */
export const ROUTES = {
  'GET /': EVERYBODY,
  'POST /sign-out': EVERYBODY,
  'GET /my-sessions': EVERYBODY,
  'POST /my-sessions/end': EVERYBODY,
  'GET /touchpoints': READERS_OF_SETTINGS,
  'POST /touchpoints': OPERATORS,
  'GET /touchpoints/:code': READERS_OF_SETTINGS,
  'POST /touchpoints/:code': OPERATORS,
  'POST /touchpoints/:code/rotate-key': OPERATORS,
  'POST /touchpoints/:code/disable': OPERATORS,
  'POST /touchpoints/:code/enable': OPERATORS,
  'POST /touchpoints/:code/providers': OPERATORS,
  'POST /touchpoints/:code/providers/remove': OPERATORS,
  'GET /consumers': SUPPORTERS,
  'POST /consumers': SUPPORTERS,
  'GET /consumers/:customerId': SUPPORTERS,
  'POST /consumers/:customerId/reveal': SUPPORTERS,
  'POST /consumers/:customerId/end-session': SUPPORTERS,
  'POST /consumers/:customerId/end-sessions': SUPPORTERS,
  'POST /consumers/:customerId/disable': SUPPORTERS,
  'POST /consumers/:customerId/enable': SUPPORTERS,
  'POST /consumers/:customerId/export': ADMINS,
  'POST /consumers/:customerId/erase': ADMINS,
  'GET /requests': EVERYBODY,
  'POST /requests': EVERYBODY,
  'GET /requests/:requestId': EVERYBODY,
  'GET /audit': [Auditor, Admin],
  'GET /messages': OPERATORS,
  'POST /messages/retry': OPERATORS,
  'POST /messages/drop': OPERATORS,
  'GET /keys': READERS_OF_SETTINGS,
  'GET /operators': ADMINS,
  'POST /operators': ADMINS,
  'POST /operators/role': ADMINS,
  'POST /operators/disable': ADMINS,
  'POST /operators/enable': ADMINS,
} as const satisfies Record<string, Role[]>;

export type Route = keyof typeof ROUTES;

/** What destroys: only after a recent sign-in. */
export const NEEDS_FRESH_SIGN_IN: readonly Route[] = [
  'POST /consumers/:customerId/erase',
  'POST /consumers/:customerId/export',
];

/** The pages of the navigation, in its order. */
export const NAVIGATION = [
  ['GET /', 'Overview'],
  ['GET /touchpoints', 'Touchpoints'],
  ['GET /consumers', 'Consumers'],
  ['GET /requests', 'Requests'],
  ['GET /audit', 'Audit'],
  ['GET /messages', 'Messages'],
  ['GET /keys', 'Keys'],
  ['GET /operators', 'Operators'],
] as const satisfies [Route, string][];

export const mayUse = (role: Role, route: Route): boolean => (ROUTES[route] as readonly Role[]).includes(role);
