import { Role } from '../operators/role';

const { Auditor, Support, Operator, Admin } = Role;
const EVERYBODY = [Auditor, Support, Operator, Admin];
const READERS_OF_SETTINGS = [Auditor, Operator, Admin];
const OPERATORS = [Operator, Admin];
const SUPPORTERS = [Support, Admin];
const EXPLAINERS = [Auditor, Support, Admin];
const AUDITORS = [Auditor, Admin];
const ADMINS = [Admin];

/** Every route of the console that needs a sign-in, and the roles that may use it. */
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
  'POST /touchpoints/:code/providers/check': OPERATORS,
  'POST /touchpoints/:code/providers/remove': OPERATORS,
  'GET /consumers': SUPPORTERS,
  'POST /consumers': SUPPORTERS,
  'GET /consumers/:customerId': SUPPORTERS,
  'POST /consumers/:customerId/reveal': SUPPORTERS,
  'POST /consumers/:customerId/end-session': SUPPORTERS,
  'POST /consumers/:customerId/end-sessions': SUPPORTERS,
  'POST /consumers/:customerId/disable': SUPPORTERS,
  'POST /consumers/:customerId/enable': SUPPORTERS,
  'POST /consumers/:customerId/send-recovery': SUPPORTERS,
  'POST /consumers/:customerId/export': ADMINS,
  'POST /consumers/:customerId/erase': ADMINS,
  'GET /requests': EXPLAINERS,
  'POST /requests': EXPLAINERS,
  'GET /requests/:requestId': EXPLAINERS,
  'GET /audit': AUDITORS,
  'GET /audit.csv': AUDITORS,
  'GET /messages': OPERATORS,
  'POST /messages/retry': OPERATORS,
  'POST /messages/drop': OPERATORS,
  'GET /keys': READERS_OF_SETTINGS,
  'GET /subscribers': READERS_OF_SETTINGS,
  'POST /subscribers': OPERATORS,
  'POST /subscribers/rotate-key': OPERATORS,
  'POST /subscribers/disable': OPERATORS,
  'POST /subscribers/enable': OPERATORS,
  'GET /operators': ADMINS,
  'POST /operators': ADMINS,
  'POST /operators/role': ADMINS,
  'POST /operators/disable': ADMINS,
  'POST /operators/enable': ADMINS,
} as const satisfies Record<string, Role[]>;

export type Route = keyof typeof ROUTES;

/** Acts that cannot be taken back, or hand out data: only after a recent sign-in. */
export const NEEDS_FRESH_SIGN_IN: readonly Route[] = [
  'POST /touchpoints/:code/providers/remove',
  'POST /messages/drop',
  'POST /consumers/:customerId/erase',
  'POST /consumers/:customerId/export',
];

/** Forms without personal data or secrets: what was typed into them is kept while somebody signs in again. */
export const KEEPS_WHAT_WAS_TYPED: readonly Route[] = [
  'POST /touchpoints',
  'POST /touchpoints/:code',
  'POST /touchpoints/:code/providers',
];

/** The page that the form with this action stands on. */
export function pageOfForm(action: string): string {
  const [, first = '', second] = action.split('/');
  if (!(`GET /${first}` in ROUTES)) return '/';
  const hasPageOfEach = first === 'touchpoints' || first === 'consumers';
  return second !== undefined && hasPageOfEach ? `/${first}/${second}` : `/${first}`;
}

/** The pages of the navigation, in its order. */
export const NAVIGATION = [
  ['GET /', 'Overview'],
  ['GET /touchpoints', 'Touchpoints'],
  ['GET /consumers', 'Consumers'],
  ['GET /requests', 'Requests'],
  ['GET /audit', 'Audit'],
  ['GET /messages', 'Messages'],
  ['GET /keys', 'Keys'],
  ['GET /subscribers', 'Subscribers'],
  ['GET /operators', 'Operators'],
] as const satisfies [Route, string][];

export const mayUse = (role: Role, route: Route): boolean => (ROUTES[route] as readonly Role[]).includes(role);
