import { Injectable } from '@nestjs/common';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import type { SettingsText } from '../../touchpoints/administration/settings-help';
import { DEFAULT_SETTINGS, parseSettings } from '../../touchpoints/administration/settings-text';
import { touchpointView } from '../../touchpoints/administration/touchpoint-view';
import { TouchpointError } from '../../touchpoints/administration/touchpoint.error';
import { type IssuedKey, TouchpointsService } from '../../touchpoints/administration/touchpoints.service';
import { durationSeconds } from '../../platform/values/duration';
import { type Answer, type ConsoleRequest, type Handlers, NotFoundError, redirect } from '../http/exchange';
import { RefusedError, unlessRefused } from '../http/refusal';
import { mayUse, type Route } from '../routes';
import { Form, Notice, State, Table, Time } from '../view/parts';
import { Keys, KeyShown, Providers, Settings } from './touchpoint.parts';

type Routes = Extract<Route, `${string} /touchpoints${string}`>;

/** Touchpoints: their settings, keys and identity providers. */
@Injectable()
export class TouchpointPages {
  readonly handlers: Handlers<Routes> = {
    'GET /touchpoints': (request) => this.list(request),
    'POST /touchpoints': (request) => this.create(request),
    'GET /touchpoints/:code': (request) => this.show(request),
    'POST /touchpoints/:code': (request) =>
      this.changing(request, async (code, { form, origin }) => {
        await this.touchpoints.update(code, parseSettings(settingsOf(form)), origin);
      }),
    'POST /touchpoints/:code/rotate-key': (request) => this.rotate(request),
    'POST /touchpoints/:code/disable': (request) =>
      this.changing(request, (code, { origin }) => this.touchpoints.update(code, { enabled: false }, origin)),
    'POST /touchpoints/:code/enable': (request) =>
      this.changing(request, (code, { origin }) => this.touchpoints.update(code, { enabled: true }, origin)),
    'POST /touchpoints/:code/providers': (request) =>
      this.changing(request, (code, { form, origin }) => {
        const { issuer = '', audience = '', jwksUri = '', trustEmail } = form;
        const provider = { issuer, audience, keys: { uri: jwksUri }, trustsEmail: trustEmail !== undefined };
        return this.providers.add(code, provider, origin);
      }),
    'POST /touchpoints/:code/providers/remove': (request) =>
      this.changing(request, (code, { form: { issuer = '' }, origin }) => this.providers.remove(code, issuer, origin)),
  };

  constructor(
    private readonly touchpoints: TouchpointsService,
    private readonly providers: IdentityProvidersService,
  ) {}

  private async list({ operator, form }: ConsoleRequest, reason?: string): Promise<Answer> {
    const touchpoints = await this.touchpoints.list();
    return {
      title: 'Touchpoints',
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          {reason !== undefined && <Notice kind="error">{reason}</Notice>}
          <section>
            <Table
              caption="Client applications that may call the API"
              heads={['Code', 'Name', 'Authentication mode', 'Channel proof', 'State', 'Key last used']}
              rows={touchpoints
                .map(touchpointView)
                .map((touchpoint) => [
                  <a href={`/touchpoints/${touchpoint.code}`}>{touchpoint.code}</a>,
                  touchpoint.name,
                  touchpoint.authenticationMode,
                  touchpoint.channelProof,
                  <State good={touchpoint.enabled}>{touchpoint.enabled ? 'enabled' : 'disabled'}</State>,
                  <Time at={touchpoint.keys[0]?.lastUsedAt ?? null} />,
                ])}
              empty="There is none yet. Create one, and give its code and key to whoever builds the application."
            />
          </section>
          {mayUse(operator.role, 'POST /touchpoints') && (
            <section>
              <h2>Create a touchpoint</h2>
              <Form action="/touchpoints" button="Create touchpoint">
                <Settings values={form} isNew />
              </Form>
            </section>
          )}
        </>
      ),
    };
  }

  private create(request: ConsoleRequest): Promise<Answer> {
    const { form, origin } = request;
    return unlessRefused(
      async () => {
        const code = (form.code ?? '').trim();
        const settings = { ...DEFAULT_SETTINGS, name: code, ...parseSettings(settingsOf(form)) };
        return keyPage('The touchpoint has been created', await this.touchpoints.create(code, settings, origin));
      },
      (reason) => this.list(request, reason),
    );
  }

  private rotate(request: ConsoleRequest): Promise<Answer> {
    return unlessRefused(
      async () => {
        const seconds = durationSeconds((request.form.overlap ?? '').trim() || '0');
        if (seconds === null) throw new RefusedError('Overlap must be a duration such as 30m, 24h or 7d, or 0');
        const { code } = await this.find(request);
        return keyPage('The key has been rotated', await this.touchpoints.rotateKey(code, seconds, request.origin));
      },
      (reason) => this.show(request, reason),
    );
  }

  private changing(
    request: ConsoleRequest,
    change: (code: string, request: ConsoleRequest) => Promise<unknown>,
  ): Promise<Answer> {
    return unlessRefused(
      async () => {
        const { code } = await this.find(request);
        await change(code, request);
        return redirect(`/touchpoints/${code}`);
      },
      (reason) => this.show(request, reason),
    );
  }

  private async show(request: ConsoleRequest, reason?: string): Promise<Answer> {
    const touchpoint = touchpointView(await this.find(request));
    const { code, enabled } = touchpoint;
    const mayChange = mayUse(request.operator.role, 'POST /touchpoints/:code');
    const typed = reason === undefined ? {} : request.form;
    return {
      title: touchpoint.name,
      status: reason === undefined ? 200 : 400,
      page: (
        <>
          {reason !== undefined && <Notice kind="error">{reason}</Notice>}
          <Keys touchpoint={touchpoint} mayChange={mayChange} typed={typed} />
          <section>
            <h2>Settings</h2>
            {mayChange ? (
              <Form action={`/touchpoints/${code}`} button="Save settings">
                <Settings
                  values={{
                    ...{ name: touchpoint.name, authMode: touchpoint.authenticationMode },
                    ...{ channelProof: touchpoint.channelProof, rateLimit: touchpoint.rateLimit },
                    ...{ sessionMax: touchpoint.sessionMax, sessionIdle: touchpoint.sessionIdle },
                    smsCountries: touchpoint.smsCountries?.join(',') ?? 'default',
                    ...typed,
                  }}
                />
              </Form>
            ) : (
              <Settings
                values={{ ...touchpoint, authMode: touchpoint.authenticationMode, smsCountries: '' }}
                isReadOnly
              />
            )}
          </section>
          <Providers touchpoint={touchpoint} mayChange={mayChange} typed={typed} />
          {mayChange && (
            <section>
              <h2>{enabled ? 'Disable' : 'Enable'}</h2>
              <p>
                {enabled
                  ? 'Every request of the application is refused from the next second on. Nothing is deleted.'
                  : 'The application is let in again with its present key.'}
              </p>
              <Form
                action={`/touchpoints/${code}/${enabled ? 'disable' : 'enable'}`}
                button={enabled ? 'Disable' : 'Enable'}
                danger={enabled}
              />
            </section>
          )}
        </>
      ),
    };
  }

  private async find({ params: { code = '' } }: ConsoleRequest) {
    try {
      return await this.touchpoints.get(code);
    } catch (error) {
      if (error instanceof TouchpointError) throw new NotFoundError();
      throw error;
    }
  }
}

const keyPage = (done: string, issued: IssuedKey): Answer => ({
  title: issued.touchpoint.name,
  page: <KeyShown done={done} code={issued.touchpoint.code} apiKey={issued.key} />,
});

/** An empty field is one that was not given. */
function settingsOf(form: Record<string, string>): SettingsText {
  const given = (name: string) => {
    const text = form[name]?.trim();
    return text === '' ? undefined : text;
  };
  return {
    ...{ name: given('name'), authMode: given('authMode'), channelProof: given('channelProof') },
    ...{ rateLimit: given('rateLimit'), smsCountries: given('smsCountries') },
    ...{ sessionMax: given('sessionMax'), sessionIdle: given('sessionIdle') },
  };
}
