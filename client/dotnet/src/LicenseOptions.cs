using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace LicenseKey
{
    /// <summary>The options of a client. The constructor takes the required ones.</summary>
    public sealed class LicenseOptions
    {
        private readonly string baseUrl;
        private readonly long productId;
        private readonly string apiKey;
        private readonly string[] publicKeys;

        /// <param name="baseUrl">the service's URL, such as <c>https://licenses.example.com</c></param>
        /// <param name="productId">the product's <c>id</c></param>
        /// <param name="apiKey">the product's <c>api_key</c>; it ships with the app</param>
        /// <param name="publicKeys">the product's <c>public_key</c> (PEM) or its JWK set (JSON); every given key is trusted</param>
        public LicenseOptions(string baseUrl, long productId, string apiKey, params string[] publicKeys)
        {
            this.baseUrl = baseUrl ?? throw new ArgumentNullException(nameof(baseUrl));
            this.productId = productId;
            this.apiKey = apiKey ?? throw new ArgumentNullException(nameof(apiKey));
            this.publicKeys = publicKeys ?? throw new ArgumentNullException(nameof(publicKeys));
        }

        /// <summary>The product's slug: tokens for another audience are refused.</summary>
        public string Audience { get; set; }

        /// <summary>The folder for stored data. Without it, the license is lost when the process ends.</summary>
        public string StorageFolder { get; set; }

        /// <summary>The name of the record, if it isn't the default; set it to keep the licenses when the service's URL changes.</summary>
        public string StorageName { get; set; }

        /// <summary>This device's fingerprint; by default the machine's.</summary>
        public string Fingerprint { get; set; }

        /// <summary>Instead of <see cref="Fingerprint"/>: the product's slug, for a fingerprint that differs between apps.</summary>
        public string AppFingerprint { get; set; }

        /// <summary>How long an expired token is still accepted while the service can't be asked.</summary>
        public TimeSpan Grace { get; set; }

        /// <summary>Maximum time for each of the two attempts of a request, and for each access to the storage. Default: 5 s.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

        /// <summary>Pause between the two attempts of a request. Default: 500 ms.</summary>
        public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(500);

        /// <summary>Accepts tokens that the operator issued without a device.</summary>
        public bool AllowUnboundTokens { get; set; }

        /// <summary>The version of this build of the app.</summary>
        public string ReleaseVersion { get; set; }

        /// <summary>When this build of the app was published.</summary>
        public DateTimeOffset? ReleasedAt { get; set; }

        internal string ToJson()
        {
            var members = new List<string>
            {
                Member("base_url", baseUrl),
                "\"product_id\":" + productId.ToString(CultureInfo.InvariantCulture),
                Member("api_key", apiKey),
                "\"public_key\":[" + string.Join(",", publicKeys.Select(Quoted)) + "]",
                "\"grace_days\":" + Grace.TotalDays.ToString("R", CultureInfo.InvariantCulture),
                "\"timeout_ms\":" + Milliseconds(Timeout),
                "\"retry_delay_ms\":" + Milliseconds(RetryDelay),
                "\"allow_unbound_tokens\":" + (AllowUnboundTokens ? "true" : "false"),
                Member("audience", Audience),
                Member("storage", StorageFolder),
                Member("storage_name", StorageName),
                Member("fingerprint", Fingerprint),
                Member("app_fingerprint", AppFingerprint),
            };
            var release = new[] { Member("version", ReleaseVersion), Member("released_at", Timestamp(ReleasedAt)) }.Where(member => member != null).ToArray();
            if (release.Length > 0) members.Add("\"release\":{" + string.Join(",", release) + "}");
            return "{" + string.Join(",", members.Where(member => member != null)) + "}";
        }

        /// <summary>RFC 3339 in UTC, with milliseconds.</summary>
        internal static string Timestamp(DateTimeOffset? moment) =>
            moment?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);

        private static string Milliseconds(TimeSpan time) => ((long)time.TotalMilliseconds).ToString(CultureInfo.InvariantCulture);

        private static string Member(string name, string value) => value == null ? null : "\"" + name + "\":" + Quoted(value);

        private static string Quoted(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (var character in text)
            {
                if (character < ' ' || character == '"' || character == '\\') quoted.Append("\\u").Append(((int)character).ToString("x4", CultureInfo.InvariantCulture));
                else quoted.Append(character);
            }
            return quoted.Append('"').ToString();
        }
    }
}
