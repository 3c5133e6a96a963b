import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import type { AuditRecord } from '../../audit/audit-record';
import { AuditService } from '../../audit/audit.service';
import type { Origin } from '../../audit/origin';
import { accessKeyDigest, hintOf, newAccessKey } from '../../platform/secrets/access-key';
import { Clock } from '../../platform/clock';
import { violatedConstraint } from '../../platform/database/connection/database-errors';
import { newId } from '../../platform/random';
import { isUuid } from '../../platform/values/uuid';
import { TouchpointsService } from '../../touchpoints/administration/touchpoints.service';
import { typesFor } from '../log/event-types';
import { EventRepository } from '../log/event.repository';
import { Sequencer } from '../log/sequencer';
import { SUBSCRIBER_CODE, SUBSCRIBER_CODE_RULE, SUBSCRIBER_KEY_PREFIX } from './subscriber-credentials';
import type { SubscriberSettings } from './subscriber-settings';
import type { Subscriber } from './subscriber.entity';
import { SubscriberError } from './subscriber.error';
import { SubscriberRepository } from './subscriber.repository';

/** A subscriber, where the log ends, and how many of the erasures that it gets it has not acknowledged. */
export interface SubscriberState {
  subscriber: Subscriber;
  end: bigint;
  unseenErasures: number;
}

export interface IssuedSubscriberKey extends SubscriberState {
  /** Shown once: only its digest is kept. */
  key: string;
}

/** Who has read of an erasure. */
export interface ErasureProof {
  customerId: string;
  /** The position of the erasure. */
  position: string;
  subscribers: {
    code: string;
    /** Whether it gets `consumer.erased`, and began to read before that event. */
    isTold: boolean;
    hasPassed: boolean;
    acknowledged: string;
    acknowledgedAt: string | null;
  }[];
}

/** Administers subscribers. */
@Injectable()
export class SubscribersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscribers: SubscriberRepository,
    private readonly events: EventRepository,
    private readonly sequencer: Sequencer,
    private readonly touchpoints: TouchpointsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** The new subscriber begins with what happens from now on, or with the oldest event that is kept. */
  async create(
    code: string,
    settings: SubscriberSettings,
    { fromStart }: { fromStart: boolean },
    origin: Origin,
  ): Promise<IssuedSubscriberKey> {
    if (!SUBSCRIBER_CODE.test(code)) throw new SubscriberError(SUBSCRIBER_CODE_RULE);
    for (const touchpoint of settings.touchpoints) await this.touchpoints.get(touchpoint);
    await this.sequencer.catchUpWholly();
    const { position, floor } = await this.events.readHead();
    const begin = String(fromStart ? floor : position);
    const id = newId();
    const now = this.clock.now();
    const insertion = this.dataSource.transaction(async (manager) => {
      await this.subscribers.insertSubscriber(manager, {
        ...{ id, code, enabled: true, ...settings },
        ...{ acknowledged: begin, beginsAfter: begin, acknowledgedAt: null, createdAt: now, updatedAt: now },
      });
      await this.audit.record(manager, origin, { type: 'subscriber.created', details: { code, settings } });
      return this.addKey(manager, id);
    });
    const key = await insertion.catch((error: unknown) => {
      if (violatedConstraint(error) !== 'subscriber_code_key') throw error;
      throw new SubscriberError(`There is a subscriber ${code} already`, { cause: error });
    });
    return { ...(await this.get(code)), key };
  }

  async list(): Promise<SubscriberState[]> {
    const subscribers = await this.subscribers.findAllSubscribers();
    return Promise.all(subscribers.map((subscriber) => this.stateOf(subscriber)));
  }

  async get(code: string): Promise<SubscriberState> {
    const subscriber = await this.subscribers.findSubscriberByCode(code);
    if (!subscriber) throw noSubscriber(code);
    return this.stateOf(subscriber);
  }

  /** Who gets `consumer.erased`, also who is disabled for now. */
  async codesToldOfErasures(): Promise<string[]> {
    return (await this.subscribers.findAllSubscribers()).filter(getsErasures).map(({ code }) => code);
  }

  /** Which subscribers have been told that this consumer was erased, as far as they have acknowledged. */
  async proofOfErasure(consumerId: string): Promise<ErasureProof> {
    await this.sequencer.catchUpWholly();
    const position = isUuid(consumerId) ? await this.events.findErasure(consumerId) : null;
    if (position === null) throw new SubscriberError(`The log of events knows of no erasure of ${consumerId}`);
    const subscribers = (await this.subscribers.findAllSubscribers()).map((subscriber) => ({
      code: subscriber.code,
      isTold: getsErasures(subscriber) && BigInt(subscriber.beginsAfter) < BigInt(position),
      hasPassed: BigInt(subscriber.acknowledged) >= BigInt(position),
      acknowledged: subscriber.acknowledged,
      acknowledgedAt: subscriber.acknowledgedAt?.toISOString() ?? null,
    }));
    return { customerId: consumerId, position, subscribers };
  }

  async setEnabled(code: string, enabled: boolean, origin: Origin): Promise<SubscriberState> {
    const type = enabled ? 'subscriber.enabled' : 'subscriber.disabled';
    return this.change(code, { type, details: { code } }, origin, (manager, updatedAt) =>
      this.subscribers.updateSubscriber(manager, code, { enabled, updatedAt }),
    );
  }

  /** The next read without `after` begins after this position, or with the first event since this time. */
  async rewind(code: string, to: bigint | Date, origin: Origin): Promise<SubscriberState> {
    await this.sequencer.catchUpWholly();
    const { position: end, floor } = await this.events.readHead();
    const wanted = typeof to === 'bigint' ? to : ((await this.events.findLastBefore(to)) ?? floor);
    if (typeof to === 'bigint' && (wanted < floor || wanted > end)) {
      throw new SubscriberError(`--to must be a position from ${floor} to ${end}, or a time`);
    }
    const position = String(wanted < floor ? floor : wanted);
    const act = { type: 'subscriber.rewound', details: { code, position } } as const;
    return this.change(code, act, origin, (manager, at) =>
      this.subscribers.rewindSubscriber(manager, code, position, at),
    );
  }

  /** Issues a new key; the present one works for `overlapSeconds` more, an older one ends now. */
  async rotateKey(code: string, overlapSeconds: number, origin: Origin): Promise<IssuedSubscriberKey> {
    const key = await this.dataSource.transaction(async (manager) => {
      const subscriber = await this.subscribers.lockSubscriber(manager, code);
      if (!subscriber) throw noSubscriber(code);
      const expiresAt = new Date(this.clock.epochMs() + overlapSeconds * 1000);
      if (overlapSeconds === 0) await this.subscribers.deleteKeys(manager, subscriber.id);
      else await this.subscribers.expireKeys(manager, subscriber.id, expiresAt);
      const newKey = await this.addKey(manager, subscriber.id);
      const details = { code, hint: hintOf(newKey), overlapSeconds };
      await this.audit.record(manager, origin, { type: 'subscriber.key-rotated', details });
      return newKey;
    });
    return { ...(await this.get(code)), key };
  }

  private async stateOf(subscriber: Subscriber): Promise<SubscriberState> {
    // What has just happened counts too, although nobody has read it yet.
    const { position: end } = await this.sequencer.catchUp();
    const unseenErasures = getsErasures(subscriber) ? await this.events.countErasuresAfter(subscriber.acknowledged) : 0;
    return { subscriber, end, unseenErasures };
  }

  private async change(
    code: string,
    act: AuditRecord,
    origin: Origin,
    update: (manager: EntityManager, now: Date) => Promise<boolean>,
  ): Promise<SubscriberState> {
    await this.dataSource.transaction(async (manager) => {
      if (await update(manager, this.clock.now())) await this.audit.record(manager, origin, act);
    });
    return this.get(code);
  }

  private async addKey(manager: EntityManager, subscriberId: string): Promise<string> {
    const key = newAccessKey(SUBSCRIBER_KEY_PREFIX);
    await this.subscribers.insertKey(manager, {
      ...{ id: newId(), subscriberId, digest: accessKeyDigest(key), hint: hintOf(key) },
      ...{ createdAt: this.clock.now(), expiresAt: null, lastUsedAt: null },
    });
    return key;
  }
}

const getsErasures = ({ types }: Subscriber): boolean => typesFor(types).includes('consumer.erased');

const noSubscriber = (code: string): SubscriberError => new SubscriberError(`There is no subscriber ${code}`);
