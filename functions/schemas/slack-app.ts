// The app of a service, as Slack reads it: its manifest. A pure function.

/** @param url takes the requests of Slack */
export function slackApp(url: string) {
  return {
    display_information: { name: "Dejavu", description: "Triages incidents and remembers what fixed them" },
    features: {
      bot_user: { display_name: "dejavu", always_online: true },
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      agent_view: {
        agent_description: "Says what an incident is, what fixed it before, and what to check",
        suggested_prompts: [
          { title: "Triage an incident", message: "Checkout answers 502, its log says: connection refused" },
          { title: "Has this happened before?", message: "similar connection refused by the database" },
        ],
      },
      slash_commands: [
        {
          command: "/triage",
          url,
          description: "Triage an incident",
          usage_hint: "<text> | similar <text> | status <incident> | resolve <incident> <what fixed it> | help",
          should_escape: false,
        },
      ],
    },
    oauth_config: { scopes: { bot: ["commands", "chat:write", "app_mentions:read", "assistant:write", "im:history"] } },
    settings: {
      interactivity: { is_enabled: true, request_url: url },
      event_subscriptions: { request_url: url, bot_events: ["app_mention", "message.im"] },
    },
  };
}
