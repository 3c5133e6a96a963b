import { IncomingMessage, ServerResponse } from 'node:http';
import { matchedRoute } from 'router/lib/symbols';
import type { ApiRequest } from '../api-request';

/**
 * A request with every field from its beginning. Express gives each request and answer another prototype, and an object
 * that gets a field after that has a hidden class of its own in V8, so that whatever reads it is slow (Node.js 20: more
 * than a quarter of the CPU time of `GET /me`).
 */
export class IncomingRequest extends IncomingMessage {
  requestId = '';
  closesUnlessRead: ApiRequest['closesUnlessRead'] = undefined;
  unknownExpectation: ApiRequest['unknownExpectation'] = undefined;
  judgements: ApiRequest['judgements'] = undefined;
  subscriberCode: ApiRequest['subscriberCode'] = undefined;
  user: ApiRequest['user'] = undefined;
  body: unknown = undefined;

  // Of features, which alone know what these hold.
  touchpoint: unknown = undefined;
  subscriber: unknown = undefined;
  hasLiveSession: unknown = undefined;
  lease: unknown = undefined;

  // Of Express.
  res: unknown = undefined;
  next: unknown = undefined;
  baseUrl = '';
  originalUrl = '';
  params: unknown = undefined;
  route: unknown = undefined;
  [matchedRoute]: unknown = undefined;
  _parsedUrl: unknown = undefined;
  _parsedOriginalUrl: unknown = undefined;

  // Of Node, which adds it with the first listener.
  _eventsCount = 0;

  // Of Passport.
  authInfo: unknown = undefined;
  logIn: unknown = undefined;
  login: unknown = undefined;
  logOut: unknown = undefined;
  logout: unknown = undefined;
  isAuthenticated: unknown = undefined;
  isUnauthenticated: unknown = undefined;
  _sessionManager: unknown = undefined;
}

/** An answer with every field from its beginning. */
export class OutgoingAnswer<Message extends IncomingMessage = IncomingMessage> extends ServerResponse<Message> {
  locals: object = {};
  override statusCode = 200;
  override statusMessage = '';
  /** Of the files that Express sends. */
  __onFinished: unknown = undefined;
}
