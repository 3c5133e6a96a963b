/** What an operator of the console may do. */
export enum Role {
  /** Reads the trail, explanations and settings; no personal data, no acts. */
  Auditor = 'AUDITOR',
  /** Helps consumers. */
  Support = 'SUPPORT',
  /** Administers touchpoints, messages and keys; no consumers. */
  Operator = 'OPERATOR',
  /** Everything. */
  Admin = 'ADMIN',
}

const RANK: Record<Role, number> = { [Role.Auditor]: 0, [Role.Support]: 1, [Role.Operator]: 1, [Role.Admin]: 2 };

/** Nobody grants more than they have. */
export const mayGrant = (own: Role, granted: Role): boolean => own === granted || RANK[own] > RANK[granted];

const BY_NAME: Partial<Record<string, Role>> = Object.fromEntries(Object.values(Role).map((role) => [role, role]));

/** Of several roles the highest; of equal ones the first. */
export const highestOf = (roles: Role[]): Role | null =>
  roles.reduce<Role | null>((best, role) => (best === null || RANK[role] > RANK[best] ? role : best), null);

/** In upper or lower case. */
export const parseRole = (text: string): Role | undefined => BY_NAME[text.trim().toUpperCase()];
