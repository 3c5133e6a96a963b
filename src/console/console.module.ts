import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { AuthModule } from '../auth/auth.module';
import { ConsumersModule } from '../consumers/consumers.module';
import { EventsModule } from '../events/events.module';
import { MessagesModule } from '../messages/messages.module';
import { OperatorsModule } from '../operators/operators.module';
import { TouchpointsModule } from '../touchpoints/touchpoints.module';
import { VerificationModule } from '../verification/verification.module';
import { ConsoleServer } from './console-server';
import { AuditPages } from './pages/audit.pages';
import { ConsolePages } from './pages/console-pages';
import { ConsumerPages } from './pages/consumer.pages';
import { Looks } from './looks.service';
import { KeyPages } from './pages/key.pages';
import { MessagePages } from './pages/message.pages';
import { OperatorPages } from './pages/operator.pages';
import { OverviewPages } from './pages/overview.pages';
import { RequestPages } from './pages/request.pages';
import { SessionPages } from './pages/session.pages';
import { CompanyProvider } from './sign-in/company-provider';
import { SignInRoutes } from './sign-in/sign-in.routes';
import { SubscriberPages } from './pages/subscriber.pages';
import { TouchpointPages } from './pages/touchpoint.pages';

/**
 * The administration console: pages for operators, rendered here, on a port of its own. Every act is done by the service
 * that the command line uses, with the operator as its actor. Who may sign in is in `operators`, below; nothing stands
 * above but the app. Owns no table. It is loaded only where it is on.
 */
@Module({
  imports: [
    AuditModule,
    EventsModule,
    TouchpointsModule,
    AuthModule,
    VerificationModule,
    ConsumersModule,
    MessagesModule,
    OperatorsModule,
  ],
  providers: [
    ConsoleServer,
    ConsolePages,
    AuditPages,
    ConsumerPages,
    KeyPages,
    Looks,
    MessagePages,
    OperatorPages,
    OverviewPages,
    RequestPages,
    SessionPages,
    SubscriberPages,
    TouchpointPages,
    CompanyProvider,
    SignInRoutes,
  ],
})
export class ConsoleModule {}
