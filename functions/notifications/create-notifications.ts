// Connects definitions of targets with their kinds and with the secrets of the environment.

import { DependencyError, settle } from "../dependencies.ts";
import { deliverNotifications } from "./deliver.ts";
import type { DeliveryCounts, DeliveryServices, NotificationTargets } from "./notification-services.ts";
import { targetKindOf } from "./target-definition.ts";
import type { Transport } from "./targets/target.ts";

export interface NotificationOptions extends Omit<DeliveryServices, "connect" | "origin"> {
  readonly transport: Transport;
  /** The environment; read at each call, because a secret may appear later. */
  readonly environment: Readonly<Record<string, unknown>>;
}

export function createNotifications({ transport, environment, ...services }: NotificationOptions): {
  readonly notificationTargets: NotificationTargets;
  /** Never throws a DependencyError. */
  readonly deliverNotifications: () => Promise<DeliveryCounts>;
} {
  const credentialOf = (name: string) => {
    const value = environment[name];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
  };
  const connect: DeliveryServices["connect"] = ({ kind: name, options, credential }) => {
    const kind = targetKindOf(name);
    if (kind === undefined) throw unusable(`this version has no kind ${name}`);
    const parsed = kind.options.safeParse(options);
    if (!parsed.success) throw unusable("its definition is of another version");
    const secret = credential === null ? null : credentialOf(credential);
    if (credential !== null && secret === null) throw unusable(`the Worker has no secret ${credential}`);
    return kind.connect(parsed.data, secret, transport);
  };
  return {
    notificationTargets: {
      connect,
      problemOf(target) {
        try {
          connect(target);
          return null;
        } catch (error) {
          if (error instanceof DependencyError) return error.message.slice(`${error.dependency}: `.length);
          throw error;
        }
      },
    },
    async deliverNotifications() {
      const delivered = await settle(deliverNotifications({ ...services, connect, origin: transport.origin }));
      if (delivered.ok) return delivered.value;
      // Only the database can fail here. The outbox has what is not recorded.
      services.log("warn", "notification.deferred", { error: delivered.error.message });
      return { notifications_delivered: 0, notifications_failed: 0, notifications_given_up: 0 };
    },
  };
}

function unusable(detail: string): DependencyError {
  return new DependencyError("notification_target", "refused", detail);
}
