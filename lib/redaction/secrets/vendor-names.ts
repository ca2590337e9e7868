// Vendors whose keys have no format of their own: a random value after a name that contains the vendor is a key.

/** Lower case, from the rules of gitleaks that look for a vendor's name near a value. */
export const VENDOR_NAMES: readonly string[] = (
  "adafruit algolia alibaba aliyun asana atlassian jira_ confluence_ beamer bitbucket bittrex meraki cloudflare codecov " +
  "cohere coinbase confluent contentful datadog dd_app droneci dropbox etsy fastly finicity finnhub flickr freshbooks " +
  "gitter gocardless heroku hubspot infura intercom kraken kucoin launchdarkly linode linkedin looker mailchimp mailgun " +
  "mapbox mattermost messagebird netlify newrelic new_relic nytimes okta opsgenie pagerduty ovh_ plaid postmark privateai rapidapi " +
  "scaleway scw_ sendbird sendinblue sentry_ snyk sonar squarespace sumo_ sumologic telegram travis tencent twilio twitch " +
  "twitter typeform vultr yandex zendesk hetzner hcloud statsd_ rollbar bugsnag loggly papertrail logdna mixpanel " +
  "amplitude segment_ auth0 pusher ably vonage nexmo plivo telnyx deepl openweather mistral together_ deepseek oci_ ibm_ " +
  "ibmcloud digitalocean packet_ equinix upcloud exoscale gandi namecheap godaddy dnsimple ns1_ akamai bunny backblaze " +
  "b2_ wasabi cloudinary imagekit"
).split(" ");
