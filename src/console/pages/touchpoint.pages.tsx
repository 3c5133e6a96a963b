import { Injectable } from '@nestjs/common';
import { ActivityCounter } from '../../audit/activity/activity-counter';
import { ProviderKeys } from '../../auth/assertions/provider-keys';
import { AppConfig } from '../../platform/settings/config';
import { IdentityProvidersService } from '../../touchpoints/identity-providers/identity-providers.service';
import { DEFAULT_SETTINGS } from '../../touchpoints/administration/settings-text';
import { touchpointView } from '../../touchpoints/administration/touchpoint-view';
import { TouchpointError } from '../../touchpoints/administration/touchpoint.error';
import { type IssuedKey, TouchpointsService } from '../../touchpoints/administration/touchpoints.service';
import { SendAllowances } from '../../verification/sending/send-allowances.service';
import { type Answer, type ConsoleRequest, type Handlers, NotFoundError, redirect } from '../http/exchange';
import { aboutField, RefusedError, unlessRefused } from '../http/refusal';
import { mayUse, type Route } from '../routes';
import { Form, Refusal } from '../view/form';
import { Notice, State, Table, Time } from '../view/parts';
import { apiAddress, KeyShown, overlapIn } from './access-key.parts';
import { newTouchpointIn, settingsIn } from './touchpoint-form';
import { Keys, limitText, Providers, Settings, Use } from './touchpoint.parts';

type Routes = Extract<Route, `${string} /touchpoints${string}`>;

const PAGE_TOUCHPOINTS = 100;

/** Touchpoints: their settings, keys and identity providers. */
@Injectable()
export class TouchpointPages {
  readonly handlers: Handlers<Routes> = {
    'GET /touchpoints': (request) => this.list(request, resumed(request)),
    'POST /touchpoints': (request) => this.create(request),
    'GET /touchpoints/:code': (request) => this.show(request, { reason: resumed(request) }),
    'POST /touchpoints/:code': (request) =>
      this.changing(request, async (code, { form, origin }) => {
        await this.touchpoints.update(code, settingsIn(form), origin);
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
    'POST /touchpoints/:code/providers/check': (request) => this.check(request),
    'POST /touchpoints/:code/providers/remove': (request) =>
      this.changing(request, (code, { form: { provider = '' }, origin }) =>
        this.providers.remove(code, provider, origin),
      ),
  };

  constructor(
    private readonly touchpoints: TouchpointsService,
    private readonly providers: IdentityProvidersService,
    private readonly providerKeys: ProviderKeys,
    private readonly activity: ActivityCounter,
    private readonly allowances: SendAllowances,
    private readonly config: AppConfig,
  ) {}

  private async list({ operator, form, query }: ConsoleRequest, reason?: string): Promise<Answer> {
    const { touchpoints, hasMore } = await this.touchpoints.page(query.after ?? '', PAGE_TOUCHPOINTS);
    return {
      title: 'Touchpoints',
      status: reason === undefined || reason === RESUMED ? 200 : 400,
      page: (
        <>
          <Refusal reason={reason} />
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
            {hasMore && (
              <p>
                <a href={`/touchpoints?after=${touchpoints.at(-1)?.code ?? ''}`}>More touchpoints</a>
              </p>
            )}
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
        const { code, settings } = newTouchpointIn(form);
        const whole = { ...DEFAULT_SETTINGS, name: code, ...settings };
        const issued = await aboutField('code', () => this.touchpoints.create(code, whole, origin));
        return this.keyPage('The touchpoint has been created', issued);
      },
      (reason) => this.list(request, reason),
    );
  }

  private rotate(request: ConsoleRequest): Promise<Answer> {
    return unlessRefused(
      async () => {
        const seconds = overlapIn(request.form);
        const { code } = await this.find(request);
        return this.keyPage(
          'The key has been rotated',
          await this.touchpoints.rotateKey(code, seconds, request.origin),
        );
      },
      (reason) => this.show(request, { reason }),
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
      (reason) => this.show(request, { reason }),
    );
  }

  private check(request: ConsoleRequest): Promise<Answer> {
    return unlessRefused(
      async () => {
        const { identityProviders } = await this.find(request);
        const provider = identityProviders.find(({ issuer }) => issuer === request.form.provider);
        if (!provider) throw new RefusedError('The touchpoint does not trust this issuer any more');
        const count = await this.providerKeys.count(provider);
        return this.show(request, { done: `${provider.issuer} has ${count} ${count === 1 ? 'key' : 'keys'} now` });
      },
      (reason) => this.show(request, { reason }),
    );
  }

  private async show(
    request: ConsoleRequest,
    { reason, done }: { reason?: string | undefined; done?: string } = {},
  ): Promise<Answer> {
    const found = await this.find(request);
    const touchpoint = touchpointView(found);
    const { code, enabled } = touchpoint;
    const [thisHour, messages] = await Promise.all([this.activity.recent(1, code), this.allowances.usedBy(found.id)]);
    const mayChange = mayUse(request.operator.role, 'POST /touchpoints/:code');
    const typed = reason === undefined ? {} : request.form;
    const settings = {
      ...{ name: touchpoint.name, authMode: touchpoint.authenticationMode, channelProof: touchpoint.channelProof },
      ...{ rateLimit: touchpoint.rateLimit, smsCountries: touchpoint.smsCountries?.join(',') ?? 'default' },
      ...{ sessionMax: touchpoint.sessionMax, sessionIdle: touchpoint.sessionIdle },
    };
    return {
      title: touchpoint.name,
      status: reason === undefined || reason === RESUMED ? 200 : 400,
      page: (
        <>
          <Refusal reason={reason} />
          {done !== undefined && <Notice kind="done">{done}</Notice>}
          <Keys touchpoint={touchpoint} mayChange={mayChange} typed={typed} />
          <Use rateLimit={limitText(touchpoint.rateLimit, this.config)} thisHour={thisHour} messages={messages} />
          <section>
            <h2>Settings</h2>
            {mayChange ? (
              <Form action={`/touchpoints/${code}`} button="Save settings">
                <Settings values={{ ...settings, ...typed }} />
              </Form>
            ) : (
              <Settings values={settings} isReadOnly />
            )}
          </section>
          <Providers touchpoint={touchpoint} mayChange={mayChange} typed={typed} />
          {mayChange && (
            <section>
              <h2>{enabled ? 'Disable' : 'Enable'}</h2>
              {enabled ? (
                <Form
                  action={`/touchpoints/${code}/disable`}
                  button="Disable"
                  danger
                  question="Disable this touchpoint?"
                  consequence="Every request of the application is refused from the next second on. Nothing is deleted."
                />
              ) : (
                <Form
                  action={`/touchpoints/${code}/enable`}
                  button="Enable"
                  consequence="The application is accepted again with its present key."
                />
              )}
            </section>
          )}
        </>
      ),
    };
  }

  private keyPage(done: string, { touchpoint: { code, name }, key }: IssuedKey): Answer {
    return {
      title: name,
      page: (
        <KeyShown
          {...{ done, holder: 'Touchpoint', code, apiKey: key, api: apiAddress(this.config) }}
          path="/api/v1/reference/countries"
          back={<a href={`/touchpoints/${code}`}>To the touchpoint</a>}
        />
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

const RESUMED = 'You had to sign in again, so nothing has been done yet: look at what you typed, and send it again.';

const resumed = ({ form }: ConsoleRequest): string | undefined => (Object.keys(form).length > 0 ? RESUMED : undefined);
