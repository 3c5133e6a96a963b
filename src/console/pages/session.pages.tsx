import { Injectable } from '@nestjs/common';
import { isUuid } from '../../platform/values/uuid';
import { OperatorSessions } from '../../operators/operator-sessions.service';
import { type Answer, type ConsoleRequest, type Handlers, redirect } from '../http/exchange';
import { Form } from '../view/form';
import { Table, Time } from '../view/parts';

/** The operator's own sessions. */
@Injectable()
export class SessionPages {
  readonly handlers: Handlers<'POST /sign-out' | 'GET /my-sessions' | 'POST /my-sessions/end'> = {
    'POST /sign-out': async ({ operator, origin }) => {
      await this.sessions.end(operator, operator.sessionId, origin);
      return redirect('/sign-in');
    },
    'GET /my-sessions': (request) => this.list(request),
    'POST /my-sessions/end': async ({ operator, origin, form: { session = '' } }) => {
      if (isUuid(session)) await this.sessions.end(operator, session, origin);
      return redirect('/my-sessions');
    },
  };

  constructor(private readonly sessions: OperatorSessions) {}

  private async list({ operator }: ConsoleRequest): Promise<Answer> {
    const sessions = await this.sessions.list(operator);
    return {
      title: 'My sessions',
      page: (
        <section>
          <Table
            caption="Where you are signed in"
            heads={['Signed in', 'Last used', '']}
            rows={sessions.map(({ sessionId, createdAt, lastUsedAt }) => [
              <Time at={createdAt} />,
              <Time at={lastUsedAt} />,
              sessionId === operator.sessionId ? (
                'this session'
              ) : (
                <Form action="/my-sessions/end" button="End session" inline>
                  <input type="hidden" name="session" value={sessionId} />
                </Form>
              ),
            ])}
            empty="You are signed in nowhere."
          />
        </section>
      ),
    };
  }
}
