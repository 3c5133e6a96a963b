import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Response } from 'express';
import { isAfterLimits } from '../api-docs/openapi/shared-headers';
import { invalidToken } from '../auth/sessions/tokens/invalid-token';
import { ApiError, validationFailed } from '../platform/errors/api-error';
import { ERROR_CATALOG, type ErrorCode } from '../platform/errors/error-catalog';
import type { Problem } from '../platform/errors/problem';
import type { ApiRequest } from '../platform/http/api-request';

export const SCENARIO = 'X-Sandbox-Scenario';

/** In milliseconds. */
const LONGEST_DELAY = 60_000;
/** In seconds, where the error itself does not say. */
const RETRY_AFTER = 2;
/** In the log and the audit trail. */
const REASON = 'sandbox scenario';

interface Listed {
  $ref?: string;
  value?: Problem;
  headers?: Record<string, unknown>;
  content?: Record<string, { examples?: Record<string, Listed> }>;
}

/** What is answered instead of the act. */
interface Refusal {
  error: ApiError;
  /** Whether the real answer says what is left of the touchpoint's limits. */
  tellsLimits: boolean;
}

/** Answers on demand what the OpenAPI document lists for an operation. */
@Injectable()
export class Scenarios {
  private document: (() => OpenAPIObject) | undefined;
  private made: OpenAPIObject | undefined;

  /** Where the document comes from, which is made at the first scenario. */
  useDocument(make: () => OpenAPIObject): void {
    this.document = make;
  }

  /** Waits, or prepares the connection to be cut, and answers null; or answers with the error that was asked for. */
  async play(scenario: string, request: ApiRequest, response: Response): Promise<Refusal | null> {
    const [, delay] = /^slow=(\d{1,5})$/.exec(scenario) ?? [];
    if (delay !== undefined && Number(delay) <= LONGEST_DELAY) await sleep(Number(delay));
    else if (scenario === 'drop') cutAtAnswer(response);
    else return this.refusalOf(scenario, request);
    return null;
  }

  private refusalOf(scenario: string, { method, route, headers }: ApiRequest): Refusal {
    const path = String((route as { path?: string } | undefined)?.path).replace(/:(\w+)/g, '{$1}');
    // Whoever may ask by GET may ask by HEAD.
    const { example, listed } = this.find(path, method === 'HEAD' ? 'get' : method.toLowerCase(), scenario);
    if (!example) {
      const message = `must be slow=MILLISECONDS (at most ${LONGEST_DELAY}), drop, or a code that this operation can answer`;
      const error = validationFailed([{ field: SCENARIO, code: 'INVALID_VALUE', message }]);
      return { error, tellsLimits: true };
    }
    const code = example.code as ErrorCode;
    const { detail, errors } = example;
    const isOfToken = code === 'UNAUTHENTICATED' && /^Bearer\b/i.test(headers.authorization ?? '');
    const error = new ApiError(code, {
      ...(detail !== undefined && { detail }),
      ...(errors && { errors }),
      ...(ERROR_CATALOG[code].status === 429 && { retryAfterSeconds: RETRY_AFTER }),
      ...(isOfToken && { headers: invalidToken(REASON).headers }),
      refusal: { reason: REASON },
    });
    return { error, tellsLimits: isAfterLimits(code) && listed?.headers?.RateLimit !== undefined };
  }

  private find(path: string, method: string, code: string): { example?: Problem; listed?: Listed } {
    this.made ??= this.document?.();
    const item = this.made?.paths[path] as Record<string, { responses?: Record<string, Listed> }> | undefined;
    for (const response of Object.values(item?.[method]?.responses ?? {})) {
      const listed = this.resolve(response);
      for (const { examples } of Object.values(listed.content ?? {})) {
        const example = examples && Object.hasOwn(examples, code) ? examples[code] : undefined;
        if (example) return { example: this.resolve(example).value, listed };
      }
    }
    return {};
  }

  private resolve(listed: Listed): Listed {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(listed.$ref ?? '') ?? [];
    if (name === '') return listed;
    const components = this.made?.components as Record<string, Record<string, Listed>> | undefined;
    return components?.[kind]?.[name] ?? {};
  }
}

/** The act is done; whoever asked cannot know. */
function cutAtAnswer(response: Response): void {
  const cut = (): Response => {
    response.destroy();
    return response;
  };
  Object.assign(response, { writeHead: cut, write: () => false, end: cut });
}
