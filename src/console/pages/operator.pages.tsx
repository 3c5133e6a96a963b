import { Injectable } from '@nestjs/common';
import { OperatorsService } from '../../operators/operators.service';
import { parseRole, Role } from '../../operators/role';
import { AppConfig } from '../../platform/settings/config';
import { signInLink } from '../../operators/sign-in-link';
import { type Answer, type ConsoleRequest, type Handlers, redirect } from '../http/exchange';
import { aboutField, RefusedError, unlessRefused } from '../http/refusal';
import { Choice, Field, Form, Refusal } from '../view/form';
import { Copied, Notice, State, Table, Time } from '../view/parts';

const ROLES = Object.values(Role);

const MEANING: [Role, string][] = [
  [Role.Auditor, 'reads the audit trail, explanations of requests, touchpoints, signing keys and subscribers'],
  [
    Role.Support,
    'finds one consumer at a time: reveals, ends sessions, sends a recovery, disables, enables; reads explanations',
  ],
  [Role.Operator, 'administers touchpoints, subscribers and messages; reads signing keys'],
  [Role.Admin, 'may do everything; alone administers operators, exports and erases consumers'],
];

/** Who may use the console. */
@Injectable()
export class OperatorPages {
  readonly handlers: Handlers<
    'GET /operators' | 'POST /operators' | 'POST /operators/role' | 'POST /operators/disable' | 'POST /operators/enable'
  > = {
    'GET /operators': (request) => this.list(request),
    'POST /operators': (request) => this.invite(request),
    'POST /operators/role': (request) =>
      this.changing(request, ({ form: { email = '' }, origin, operator }) =>
        this.operators.setRole(email, roleIn(request), origin, operator),
      ),
    'POST /operators/disable': (request) =>
      this.changing(request, ({ form: { email = '' }, origin, operator }) =>
        this.operators.disable(email, origin, operator),
      ),
    'POST /operators/enable': (request) =>
      this.changing(request, ({ form: { email = '' }, origin, operator }) =>
        this.operators.enable(email, origin, operator),
      ),
  };

  constructor(
    private readonly operators: OperatorsService,
    private readonly config: AppConfig,
  ) {}

  private invite(request: ConsoleRequest): Promise<Answer> {
    const { form, origin, operator } = request;
    return unlessRefused(
      async () => {
        const { token, expiresAt } = await aboutField('email', () =>
          this.operators.invite(form.email ?? '', roleIn(request), origin, operator),
        );
        const link = signInLink(this.config, token);
        return {
          title: 'Invitation',
          page: (
            <section>
              <Notice kind="done">Give this link to {form.email}. It is shown this once, and works once.</Notice>
              <Copied what="link">{link}</Copied>
              <p>
                It works until <Time at={expiresAt} />.
              </p>
              <p>
                <a href="/operators">To the operators</a>
              </p>
            </section>
          ),
        };
      },
      (reason) => this.list(request, reason),
    );
  }

  private changing(request: ConsoleRequest, change: (request: ConsoleRequest) => Promise<unknown>): Promise<Answer> {
    return unlessRefused(
      async () => {
        await change(request);
        return redirect('/operators');
      },
      (reason) => this.list(request, reason),
    );
  }

  private async list({ operator, form }: ConsoleRequest, reason?: string): Promise<Answer> {
    const operators = await this.operators.list();
    return {
      title: 'Operators',
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          <Refusal reason={reason} />
          <section>
            <Table
              caption="Who may sign in"
              heads={['E-mail', 'Role', 'State', 'Last sign-in', '']}
              rows={operators.map(({ email, role, disabledAt, signedInAt }) => [
                email,
                role,
                <State good={disabledAt === null}>{disabledAt === null ? 'enabled' : 'disabled'}</State>,
                <Time at={signedInAt} />,
                email === operator.email ? 'you' : <Acts email={email} role={role} isDisabled={disabledAt !== null} />,
              ])}
              empty="There is nobody yet."
            />
          </section>
          <section>
            <h2>Invite somebody</h2>
            <p class="quiet">
              An invitation is a link that works once, within ten minutes. Invite again for the next sign-in.
            </p>
            <Form action="/operators" button="Invite">
              <Field label="E-mail" name="email" value={form.email} required maxLength={254} />
              <Choice label="Role" name="role" options={ROLES} value={form.role ?? Role.Support} />
            </Form>
            <ul>
              {MEANING.map(([role, meaning]) => (
                <li>
                  <strong>{role}</strong> {meaning}
                </li>
              ))}
            </ul>
          </section>
        </>
      ),
    };
  }
}

const Acts = ({ email, role, isDisabled }: { email: string; role: Role; isDisabled: boolean }) => (
  <>
    <Form action="/operators/role" button="Change role" inline>
      <input type="hidden" name="email" value={email} />
      <select name="role" aria-label={`Role of ${email}`}>
        {ROLES.map((option) => (
          <option value={option} selected={option === role}>
            {option}
          </option>
        ))}
      </select>
    </Form>{' '}
    {isDisabled ? (
      <Form action="/operators/enable" button="Enable" inline>
        <input type="hidden" name="email" value={email} />
      </Form>
    ) : (
      <Form
        action="/operators/disable"
        button="Disable"
        danger
        question="Disable this operator?"
        inline
        consequence="All sessions end at once, and no sign-in works until somebody enables it again."
      >
        <input type="hidden" name="email" value={email} />
      </Form>
    )}
  </>
);

function roleIn({ form: { role = '' } }: ConsoleRequest): Role {
  const known = parseRole(role);
  if (known === undefined) throw new RefusedError(`Role must be one of ${ROLES.join(', ')}`);
  return known;
}
