// Who may use Dejavu through Slack: workspaces, channels, and people of other workspaces in shared channels. Pure functions.

import { type Message, plainMessage } from "../../adapters/block-kit.ts";

/** Where a payload comes from. */
export interface SlackPlace {
  /** The workspace that installed the app. */
  readonly workspace: string | undefined;
  /** The workspace of the person, another one for guests of a shared channel. */
  readonly userWorkspace: string | undefined;
  readonly channel: string | undefined;
}

export interface AllowList {
  /** Ids; empty for the workspaces that installed the app, without people of others. */
  readonly workspaces: readonly string[];
  /** Ids; empty for all channels. */
  readonly channels: readonly string[];
}

export type PlaceRejection = "workspace" | "external_user" | "channel";

/** Undefined if the place may use Dejavu. */
export function rejectionOfPlace(place: SlackPlace, { workspaces, channels }: AllowList): PlaceRejection | undefined {
  const { workspace, userWorkspace = workspace, channel } = place;
  const isListed = (id: string | undefined) => id !== undefined && workspaces.includes(id);
  if (workspaces.length > 0 && !isListed(workspace)) return "workspace";
  if (workspaces.length > 0 ? !isListed(userWorkspace) : userWorkspace !== workspace) return "external_user";
  if (channels.length > 0 && (channel === undefined || !channels.includes(channel))) return "channel";
  return undefined;
}

const REJECTIONS: Readonly<Record<PlaceRejection, string>> = {
  workspace:
    "Dejavu does not answer this workspace, so nothing was done. Its operator can add the workspace to `SLACK_ALLOWED`.",
  external_user:
    "Dejavu answers only people of its own workspace, so nothing was done. Its operator can add yours to `SLACK_ALLOWED`.",
  channel:
    "Dejavu does not answer in this channel, so nothing was done. Its operator can add the channel to `SLACK_ALLOWED`.",
};

export function rejectionText(reason: PlaceRejection): string {
  return REJECTIONS[reason];
}

export function rejectionMessage(reason: PlaceRejection): Message {
  return plainMessage(REJECTIONS[reason]);
}
