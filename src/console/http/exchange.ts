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
  /** The fields of the form, each once; of a page, what was typed into it before a new sign-in. */
  form: Record<string, string>;
}

/** What is wrong with what was typed, by the id of its field. */
export type Faults = Record<string, string>;

export interface Page {
  page: VNode;
  title: string;
  /** 200 unless given. */
  status?: number;
  /** Of the form that was refused. */
  faults?: Faults;
}

/** What a route answers. */
export type Answer = Page | { redirect: string } | Download;

/** A file; the ending of its name gives its type. */
interface Download {
  download: string;
  content: string;
}

type Handler = (request: ConsoleRequest) => Answer | Promise<Answer>;

/** The handlers of these routes, which a group of pages brings. */
export type Handlers<Routes extends Route> = Record<Routes, Handler>;

export const redirect = (path: string): Answer => ({ redirect: path });

/** There is nothing at this address. */
export class NotFoundError extends Error {}
