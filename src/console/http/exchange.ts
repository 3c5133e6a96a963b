import type { VNode } from 'preact';
import type { Origin } from '../../audit/origin';
import type { SignedInOperator } from '../../operators/operator.repository';
import type { Route } from '../routes';

/** A request of an operator who may use the route. */
export interface ConsoleRequest {
  operator: SignedInOperator;
  origin: Origin;
  /** The parts of the path that the route names. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The fields of the form; each once. */
  form: Record<string, string>;
}

/** What a route answers. */
export type Answer =
  { page: VNode; title: string; status?: number } | { redirect: string } | { download: string; json: unknown };

type Handler = (request: ConsoleRequest) => Answer | Promise<Answer>;

/** The handlers of these routes, which a group of pages brings. */
export type Handlers<Routes extends Route> = Record<Routes, Handler>;

export const redirect = (path: string): Answer => ({ redirect: path });

/** There is nothing at this address. */
export class NotFoundError extends Error {}
