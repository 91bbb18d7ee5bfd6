package licensekey.coroutines

import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import licensekey.Labels
import licensekey.LicenseClient
import licensekey.State
import licensekey.Storage
import licensekey.Transport
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class LicenseClientsTest {
    private val publicKey = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAvz6r5S8RbCxfg/IdkjtcgEr0Wj1GYchNJZK/d53Bfc=\n-----END PUBLIC KEY-----\n"

    private fun client(respond: (String) -> Pair<Int, String>) =
        LicenseClient.builder("https://licenses.example.com", 7, "pk_test", publicKey).transport { request ->
            val (status, body) = respond(request.url().path)
            val code = if (status == 404) mapOf("x-svc-error-code" to "not_found") else mapOf()
            Transport.Response(status, code, body.toByteArray())
        }

    // If this fails, a window shows a state that no longer applies.
    @Test
    fun `the flow has the current state and every change until its collector ends`() = runBlocking {
        val client = client { 404 to """{"detail": "no such key"}""" }.build()
        client.check().await()
        val seen = Channel<State>(Channel.UNLIMITED)
        val collector = launch { client.states().collect { seen.send(it) } }
        withTimeout(60_000) {
            assertEquals("unbound", seen.receive().status())
            client.activate("9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z").await()
            assertEquals("unknown_key", seen.receive().status())
        }
        collector.cancelAndJoin()
        client.trial().await()
        assertEquals("no_trial", client.state()?.status())
        assertTrue(seen.tryReceive().isFailure)
    }

    // If this fails, a dialog that the user has closed goes on asking the service for ten minutes.
    @Test
    fun `a cancelled coroutine ends its sign-in`() = runBlocking {
        val shown = CompletableDeferred<String>()
        val ended = CountDownLatch(1)
        val storage =
            object : Storage.Memory() {
                // A sign-in ends with the lock for seats.
                override fun lock(name: String) = super.lock(name).also { if (name.endsWith(".seat")) ended.countDown() }
            }
        val client =
            client { 201 to """{"request": "secret", "user_code": "7KQ2-9MXB", "url": "https://portal.example.com/", "interval": 600}""" }
                .storage(storage)
                .build()
        val signIn = launch { client.activateInBrowser(Labels.NONE, shown::complete) {}.await() }
        assertEquals("7KQ2-9MXB", shown.await())
        signIn.cancelAndJoin()
        assertTrue(ended.await(60, TimeUnit.SECONDS))
    }
}
